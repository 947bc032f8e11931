# frozen_string_literal: true

require "test_helper"
require "async"
require "timeout"

module Trunkline
  module Postgres
    # How a block was left, told by what unwinds it.
    class BlockExitTest < TestCase
      BlockExit = Postgres.const_get(:BlockExit)

      def setup
        super
        @exit = BlockExit.new
        @seen = nil
      end

      # What runs while the stack is unwound must not stop that.
      def watch(&block)
        @exit.run(&block)
      ensure
        @seen = [@exit.completed?, catch(:inner) { [1].each { throw :inner, :thrown } }]
      end

      def returning
        watch { return :returned }
      end

      def assert_completed = assert_equal([true, :thrown], @seen)
      def refute_completed = assert_equal([false, :thrown], @seen)

      def test_a_normal_end
        assert_equal :value, watch { :value }
        assert_completed
      end

      def test_next
        assert_equal(:value, watch { next :value })
        assert_completed
      end

      def test_break
        assert_equal(:broken, watch { break :broken })
        assert_completed
      end

      def test_break_out_of_an_inner_block
        assert_equal(:broken, watch { [1, 2].each { |number| break number } && :broken })
        assert_completed
      end

      def test_return
        assert_equal :returned, returning
        assert_completed
      end

      def test_return_out_of_a_lambda
        assert_equal :returned, lambda { watch { return :returned } }.call
        assert_completed
      end

      def test_an_exception
        assert_raises(IndexError) { watch { raise IndexError } }
        refute_completed
        assert_equal "again", assert_raises(Exception) { watch { raise Exception, "again" } }.message
        refute_completed
      end

      def test_the_end_of_a_loop
        assert_nil(loop { watch { raise StopIteration } })
        refute_completed
      end

      def test_throw
        assert_equal(:thrown, catch(:out) { watch { throw :out, :thrown } })
        refute_completed
      end

      def test_throw_without_a_catch
        assert_raises(UncaughtThrowError) { watch { throw :nowhere } }
        refute_completed
      end

      def test_exit
        assert_raises(SystemExit) { watch { exit } }
        refute_completed
      end

      def test_a_killed_thread
        thread = Thread.new { watch { Thread.current.kill } }
        assert_nil thread.value
        refute_completed
      end

      def test_a_thread_that_is_raised_in
        thread = Thread.new { watch { Thread.current.raise(IndexError) } }
        thread.report_on_exception = false
        assert_raises(IndexError) { thread.value }
        refute_completed
      end

      # Ruby's older Timeout unwinds by throw, the newer ones raise. The time may pass before the block begins.
      def test_timeout
        assert_raises(Timeout::Error) { Timeout.timeout(0.01) { watch { sleep } } } until @seen
        refute_completed
      end

      def test_timeout_as_its_older_versions_did_it
        assert_equal(:expired, Thread.new { catch(:timeout) { unwind_by_throw } }.value)
        refute_completed
      end

      def test_a_stopped_task
        Sync { |task| task.async { watch { sleep } }.stop }
        refute_completed
      end

      if Fiber.method_defined?(:kill)
        def test_a_killed_fiber
          fiber = Fiber.new { watch { Fiber.yield } }
          fiber.resume
          fiber.kill
          refute_completed
        end
      end

      # What a block waits for may be in other fibers, with blocks of their own.
      def test_fibers_in_between
        outer = Fiber.new { [watch { Fiber.yield(1) }, @exit.completed?] }
        inner = BlockExit.new
        assert_equal 1, outer.resume
        assert_equal(:broken, inner.run { break :broken })
        assert_equal [2, true], outer.resume(2)
      end

      def test_none_was_left_yet
        refute_predicate @exit, :completed?
      end

      private

      def unwind_by_throw
        error = Class.new(Exception) { define_method(:exception) { |*| throw(:timeout, :expired) } }.new # rubocop:disable Lint/InheritException
        watch { Thread.current.raise(error) }
      end
    end
  end
end
