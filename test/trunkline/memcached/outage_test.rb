# frozen_string_literal: true

require "test_helper"
require "support/eventually"
require "support/schedulers/dropping"

module Trunkline
  module Memcached
    # When a server that was found down is used again.
    class OutageTest < TestCase
      include Eventually

      # Connects at once; a fiber of an event loop waits there.
      class SlowConnector
        def probe = (Fiber.yield unless Fiber.current.blocking?)
        def answered?(_deadline) = true
        def inherited? = false
        def close = nil
      end
      private_constant :SlowConnector

      # No other caller could find out that the server is there.
      def test_a_caller_that_is_dropped_while_it_probes
        outage = Outage.new(ConnectionError.new("it is down"), nil, longest_pause: 0.01, at_once: true) { SlowConnector.new }
        Thread.new { Dropping.run { Fiber.schedule { outage.over? { flunk } } } }.join
        assert eventually { outage.over? { true } }
      end
    end
  end
end
