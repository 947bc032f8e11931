# frozen_string_literal: true

require "test_helper"
require "support/simulated_trunk"
require "support/stopped_clock"

module Trunkline
  module Postgres
    # A leader whose sleep has ended wakes the callers whose time is over. What it does for itself may take long: a cancel request needs a connection of
    # its own.
    class WokenBeforeCancelsTest < TestCase
      include SimulatedTrunk
      include StoppedClock

      def canceller
        lambda do |_by, &dealt_with|
          @delivered_at_cancel = @late.delivered?
          dealt_with.call
        end
      end

      def test_a_caller_whose_time_is_over_is_woken_before_the_leader_cancels
        @trunk.dispatch(abandoned = Request.query(statement("SELECT 1"), []))
        abandoned.fail(Abandonment.new(:cancel, true))
        leader, @late = Array.new(2) { Waiter.new }
        @late.wait_until = Clock.now + 1
        assert_equal %i[leads parked], [leader, @late].map { |waiter| @trunk.state.lead(waiter) }
        @trunk.state.recheck_in(1)
        Clock.pass(2)
        @trunk.step(leader)
        assert_equal [true, 1], [@delivered_at_cancel, @trunk.cancels]
      end
    end
  end
end
