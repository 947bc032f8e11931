# frozen_string_literal: true

require "test_helper"
require "trunkline/trunk/fiber_owner"

module Trunkline
  # Whether a fiber can come back for what was given to it.
  class FiberOwnerTest < TestCase
    # An event loop that says that it is closed before its fibers have ended: within close, they go on.
    class ClosingLoop
      def initialize(&closing) = @closing = closing
      def closed? = @closed == true

      def close
        @closed = true
        @closing.call
      end

      def block(*) = nil
      alias unblock block
      alias kernel_sleep block
      alias io_wait block
    end
    private_constant :ClosingLoop

    def test_a_fiber_that_continues_and_one_that_has_ended
      owner, fiber = suspended
      assert_predicate owner, :alive?
      assert Thread.new { owner.alive? }.value
      fiber.resume
      refute_predicate owner, :alive?
    end

    def test_a_thread_that_has_ended
      refute_predicate Thread.new { FiberOwner.new }.value, :alive?
    end

    def test_a_fiber_that_runs_while_its_loop_is_closed
      Thread.new do
        owner = fiber = nil
        seen = []
        look = -> { seen.push(owner.alive?, elsewhere { owner.alive? }) }
        Fiber.set_scheduler(ClosingLoop.new { look.call && fiber.resume })
        owner, fiber = suspended(blocking: false, &look)
        Fiber.set_scheduler(nil)
        assert_equal [true] * 4, seen
        refute_predicate owner, :alive?
      end.join
    end

    # Its own thread alone knows that close has returned.
    def test_a_fiber_that_its_loop_has_left
      Thread.new do
        Fiber.set_scheduler(ClosingLoop.new { nil })
        owner, fiber = suspended(blocking: false)
        Fiber.set_scheduler(nil)
        assert_equal [true, true, false], [fiber.alive?, Thread.new { owner.alive? }.value, owner.alive?]
      end.join
    end

    # No loop runs it.
    def test_a_blocking_fiber_beside_a_loop
      Thread.new do
        Fiber.set_scheduler(ClosingLoop.new { nil })
        owner, fiber = suspended(blocking: true)
        Fiber.set_scheduler(nil)
        assert_predicate owner, :alive?
        fiber.resume
        refute_predicate owner, :alive?
      end.join
    end

    # Words that remain on the stack may keep some, not all.
    def test_fibers_that_were_collected
      owners = Fiber.new { Array.new(20) { suspended.first } }.resume
      GC.start
      assert_operator owners.count(&:alive?), :<, 20
    end

    private

    # Runs the block in another thread, for which a fiber of a loop waits without the loop.
    def elsewhere
      seen = nil
      thread = Thread.new { seen = yield }
      Thread.pass while thread.alive?
      seen
    end

    # @return [Array(FiberOwner, Fiber)] of a fiber that is suspended, and runs the block when it is resumed
    def suspended(**options)
      owner = nil
      fiber = Fiber.new(**options) do
        owner = FiberOwner.new
        Fiber.yield
        yield if block_given?
      end
      fiber.resume
      [owner, fiber]
    end
  end
end
