# frozen_string_literal: true

require "test_helper"
require "trunkline/trunk/fiber_owner"

module Trunkline
  # Whether a fiber can come back for what was given to it.
  class FiberOwnerTest < TestCase
    # An event loop that runs nothing.
    class IdleLoop
      def closed? = @closed == true
      def close = @closed = true
      def block(*) = nil
      def unblock(*) = nil
      def kernel_sleep(*) = nil
      def io_wait(*) = nil
    end
    private_constant :IdleLoop

    def test_a_fiber_that_goes_on_and_one_that_has_ended
      owner = nil
      fiber = Fiber.new do
        owner = FiberOwner.new
        Fiber.yield
      end
      fiber.resume
      refute_predicate owner, :gone?
      refute Thread.new { owner.gone? }.value
      fiber.resume
      assert_predicate owner, :gone?
    end

    def test_a_thread_that_has_ended
      assert_predicate Thread.new { FiberOwner.new }.value, :gone?
    end

    def test_a_fiber_whose_loop_was_closed
      Thread.new do
        event_loop = IdleLoop.new
        Fiber.set_scheduler(event_loop)
        owner = nil
        fiber = Fiber.new(blocking: false) do
          owner = FiberOwner.new
          Fiber.yield
        end
        fiber.resume
        assert_equal [false, false], [owner.gone?, Thread.new { owner.gone? }.value]
        event_loop.close
        assert Thread.new { owner.gone? }.value
        Fiber.set_scheduler(nil)
        assert_predicate owner, :gone?
        assert_predicate fiber, :alive?
      end.join
    end
  end
end
