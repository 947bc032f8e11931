# frozen_string_literal: true

require "test_helper"
require "support/schedulers/dropping"

module Trunkline
  module Postgres
    # Subscriptions whose callers were dropped, as the pool's waiting callers see them.
    class SubscriptionQueueTest < TestCase
      def setup
        super
        @queue = SubscriptionQueue.new(["a"], 10)
        @listener = Listener.allocate
        @listener.instance_variable_set(:@queues, [@queue])
        Thread.new { Dropping.run { Fiber.schedule { @queue.with_waiter(Waiter.new) { Fiber.yield } } } }.join
      end

      # Else another subscription, which a fiber of the same event loop has left, could not be collected.
      def test_the_event_loop_of_a_dropped_caller_is_not_referred_to
        2.times { refute_predicate @listener, :alive? }
        assert_empty @queue.instance_variable_get(:@waiters)
        assert_predicate @queue, :suspended?
      end

      def test_one_that_is_wanted_again_keeps_the_connection
        refute_predicate @listener, :alive?
        @queue.want
        assert_predicate @listener, :alive?
        @queue.resume
        assert_equal [false, true], [@queue.suspended?, @queue.shift.gap?]
      end
    end
  end
end
