# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "objspace"
require "support/simulated_trunk"
require "support/stopped_clock"

module Trunkline
  module Postgres
    # To which callers a connection does not refer any more. Else the event loop of one that was dropped could not be collected, with what its fibers refer
    # to: a subscription, which keeps a connection, or a stream, which refers to this one.
    class ForgottenCallersTest < TestCase
      include SimulatedTrunk
      include StoppedClock

      def test_one_that_has_ended_refers_to_no_caller_that_cancels
        @trunk.dispatch(cancelled = Request.query(statement("SELECT 1"), []))
        cancelled.fail(Abandonment.new(:cancel, true))
        assert @trunk.state.begin_cancel(waiter = Waiter.new, cancelled)
        assert_includes referred_to, waiter
        @trunk.close("test")
        refute_includes referred_to, waiter
        assert_nil @trunk.state.finish_cancel(waiter)
      end

      # It waits until the socket has room.
      def test_none_that_writes
        writer = OutputWriter.new(@trunk, Class.new { def lead(*) = :parked }.new, Struct.new(:flushed?).new(false))
        waiter = Waiter.new
        Waiting.stub(:park, ->(*) { Fiber.yield }) { Fiber.new { writer.write_out(waiter) }.resume }
        refute(reachable_from(writer).any? { |object| waiter.equal?(object) })
      end

      def test_none_whose_request_was_cancelled_last
        head = Waiter.new
        state = Struct.new(:abandoned_head, :head_blocks?, :recheck_pending?) do
          def begin_cancel(*) = false
          def recheck_in(*) = true
        end
        canceller = Canceller.new(@trunk, state.new(head, true, true), nil, nil, nil, ->(*) {})
        canceller.cancel_abandoned_ahead
        canceller.instance_variable_get(:@state).abandoned_head = nil
        refute(reachable_from(canceller).any? { |object| head.equal?(object) })
      end

      # It is of another event loop than the one that led, and only that loop resumes it.
      def test_one_that_was_woken_to_lead_and_does_not_run
        woken = woken_to_lead
        look_for(0)
        Clock.pass(0.9)
        look_for(0)
        assert_includes referred_to, woken
        look_for(1)
        refute_includes referred_to, woken
        assert_equal [false, nil], [@trunk.state.led?, @trunk.loss]
      end

      # It was taken for dropped.
      def test_one_that_runs_after_all_leads
        woken = woken_to_lead
        look_for(1)
        assert_equal :leads, @trunk.state.lead(woken)
        @trunk.leave(woken)
        assert_equal [false, 0], [@trunk.state.led?, @trunk.active]
      end

      private

      # @return [Array<Object>] to which the object's instance variables refer, and the objects in these
      def reachable_from(object)
        values = object.instance_variables.map { |name| object.instance_variable_get(name) }.reject { |value| @trunk.equal?(value) }
        values + values.flat_map { |value| ObjectSpace.reachable_objects_from(value).to_a }
      end

      # @return [Array<Object>] to which the connection's state refers itself
      def referred_to = ObjectSpace.reachable_objects_from(@trunk.state)

      # @return [Waiter]
      def woken_to_lead
        leader, woken = Array.new(2) { Waiter.new }
        assert_equal %i[leads parked], [leader, woken].map { |waiter| @trunk.state.lead(waiter) }
        assert_same woken, @trunk.state.leave(leader)
        woken
      end
    end
  end
end
