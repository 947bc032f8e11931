# frozen_string_literal: true

require "test_helper"
require "support/schedulers/hostile_scheduler"
require "support/simulated_trunk"

module Trunkline
  module Postgres
    # Waiters that their scheduler resumes for nothing after they became woken and before they are given their wake-up, which would end a later wait.
    class OwedWakeUpsTest < TestCase
      include SimulatedTrunk

      def request = Request.query(statement("SELECT 1"), [])

      def test_a_parked_waiter_sleeps_on
        assert_sleeps_on { |waiter| Waiting.park(waiter.park) }
      end

      def test_one_with_a_timeout_sleeps_on
        assert_sleeps_on { |waiter| Waiting.park(waiter.park, Waiting.now + 1000) }
      end

      def test_one_that_follows_a_leader_sleeps_on
        leader = Waiter.new
        @trunk.state.lead(leader)
        assert_sleeps_on { |waiter| @trunk.await_answer(waiter) }
      ensure
        @trunk.state.leave(leader)
      end

      private

      # @yieldparam waiter [Request] that the block makes sleep until it is done
      def assert_sleeps_on
        HostileScheduler.run(seed: Minitest.seed, spurious: 1.0) do |scheduler|
          waiter, awake = nil, false
          Fiber.schedule do
            yield waiter = request
            awake = true
          end
          codec.submit(waiter)
          codec.fail(woken = []) { "lost" }
          10.times { scheduler.yield }
          assert_equal [false, [waiter]], [awake, woken]
          waiter.wake
          scheduler.yield until awake
          assert_empty scheduler.violations
        end
      end
    end
  end
end
