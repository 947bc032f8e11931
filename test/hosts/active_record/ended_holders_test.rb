# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # Threads and fibers that end while ActiveRecord's pool has a connection leased to them, on which they have left something behind. The
    # pool reaps these when it is short of connections itself, and has 300 here, where the server is to have 3.
    class EndedHoldersTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      FEW = { server_connections: 1, max_server_connections: 3, checkout_timeout: 60 }.freeze
      private_constant :FEW

      def setup
        super
        connect(**FEW)
      end

      # The pool waits that long for what is leased to fibers that are alive.
      def teardown
        Ours.connection_pool.checkout_timeout = 0.01
        super
      end

      def test_threads
        assert_equal [*1..8], (1..8).map { |n| Thread.new { leave_a_setting(n) }.value }
      end

      def test_fibers
        isolate_fibers
        assert_equal [*1..8], (1..8).map { |n| Fiber.new { leave_a_setting(n) }.resume }
      end

      def test_fibers_of_a_loop
        in_fibers do |task|
          assert_equal [*1..8], (1..8).map { |n| task.async { leave_a_setting(n) }.wait }
        end
      end

      # Async may end its loop before it has resumed a finished task's fiber for the last time, which stays alive by Ruby's account.
      def test_fibers_of_loops_that_have_ended
        isolate_fibers
        assert_equal [*1..8], (1..8).map { |n| Sync { |task| task.async { leave_a_setting(n) }.wait } }
      end

      # They stay alive by Ruby's account.
      def test_fibers_that_are_left_unfinished_by_a_thread
        isolate_fibers
        assert_equal [*1..8], (1..8).map { |n| Thread.new { Fiber.new { Fiber.yield(leave_a_setting(n)) }.resume }.value }
      end

      def test_a_fiber_that_may_continue_keeps_its_connection
        isolate_fibers
        keeping = Fiber.new { Fiber.yield(leave_a_setting(1)).then { ours.select_value("SHOW work_mem") } }
        keeping.resume
        (2..8).each { |n| Fiber.new { leave_a_setting(n) }.resume }
        assert_equal "7MB", keeping.resume
      end

      # The pool has leased it to this thread, whatever thread uses it.
      def test_a_connection_that_a_thread_has_used_for_another_one
        own = ours
        Thread.new { own.execute("SET work_mem = '7MB'") }.join
        (1..8).each { |n| Thread.new { leave_a_setting(n) }.join }
        assert_equal "7MB", own.select_value("SHOW work_mem")
      end

      # A thread that ends while it is asked whether it lives, and whose connection has another one then.
      def test_a_connection_that_is_leased_anew_while_its_holder_is_checked
        holder = Trunkline::ActiveRecord.const_get(:LeaseHolder).new
        leased = 0
        ended = Object.new
        ended.define_singleton_method(:alive?) { (leased += 1) && holder.begin(Thread.current) && false }
        holder.begin(ended)
        assert_equal [true, 1], [holder.alive?, leased]
        holder.begin(Thread.new { nil }.tap(&:join))
        refute_predicate holder, :alive?
      end

      # What was leased to ended ones can be leased again.
      def test_the_pool_reaps_what_was_closed
        connect(**FEW, pool: 4)
        (1..8).each { |n| Thread.new { leave_a_setting(n) }.join }
        assert_equal 1, ours.select_value("SELECT 1")
      end

      private

      def isolate_fibers = ActiveSupport::IsolatedExecutionState.isolation_level = :fiber

      def leave_a_setting(number)
        ours.execute("SET work_mem = '7MB'")
        ours.select_value("SELECT #{number}")
      end
    end
  end
end
