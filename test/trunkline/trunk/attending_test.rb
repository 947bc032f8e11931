# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/simulated_trunk"
require "support/schedulers/dropping"
require "support/stopped_clock"

module Trunkline
  module Postgres
    # A fiber that waits for what the server may never send, whose event loop does not run, as another thread sees it. It wakes every second, whatever
    # comes, so that others can see whether it runs.
    class AttendingTest < TestCase
      include SimulatedTrunk
      include StoppedClock

      # Seconds after which its connection ends where others need it.
      AT_LAST = 30
      private_constant :AT_LAST

      def setup
        super
        @taken = []
        @orders, @done = Array.new(2) { Thread::Queue.new }
        assert @trunk.reserve
        Waiting.stub(:now, Clock.now) do # it sleeps on the clock that stands still
          @thread = Thread.new { Dropping.run { wait_for_orders } }
          @done.pop
        end
      end

      def teardown
        @orders.close
        @thread.join
        super
      end

      def test_its_connection_ends_at_last
        look_for(AT_LAST - 1)
        assert_nil @trunk.loss
        look_for(3)
        assert_match(/event loop .* was blocked or dropped/, @trunk.loss.reason)
      end

      # It loses nothing by that.
      def test_it_leads_again_after_another_had_the_lead
        @trunk.state.displace_leader
        refute @trunk.state.leads?(@request)
        @there << BackendMessages.message("A", [4711, "channel", "came"].pack("NZ*Z*"))
        go_on
        assert_equal [false, ["came"], 0], [@fiber.alive?, @taken, @trunk.active]
      end

      def test_it_leads_on_where_nothing_has_come
        2.times do
          go_on
          assert @trunk.state.leads?(@request)
          @trunk.state.displace_leader
        end
        go_on
        assert_equal [true, 1], [@trunk.state.leads?(@request), @trunk.active]
      end

      private

      def wait_for_orders
        @fiber = Fiber.schedule { attend }
        @done << true
        while @orders.pop do @done << (@fiber.resume if @fiber.alive?) end
      end

      def attend
        @request = Request.companion.pin
        @trunk.reader.attend(@request, nil) do
          @taken.concat(@trunk.codec.take_notifications.map { |body| Notification.parse(body).payload })
          @taken.any?
        end
      end

      # Its thread resumes it.
      def go_on
        @orders << true
        @done.pop
      end
    end
  end
end
