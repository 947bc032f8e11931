# frozen_string_literal: true

require "test_helper"
require "support/schedulers/dropping"

module Trunkline
  module Memcached
    # Keys that were changed while their server was down, as it is used again.
    class MissedChangesTest < TestCase
      LIMIT = 20 # seconds, after which a caller hangs
      private_constant :LIMIT

      # The last keys are deleted there: that may wait for a connection, or for room in its socket.
      def test_a_fiber_that_is_dropped_as_the_server_is_used_again
        missed = MissedChanges.new
        missed.add("a", :server)
        Thread.new { Dropping.run { Fiber.schedule { missed.close { Fiber.yield } } } }.join
        other = Thread.new { missed.add("b", :server) }
        assert other.join(LIMIT), "it waits for good"
        assert other.value
        assert_equal %w[a b], missed.first(3).map(&:first)
      end

      def test_what_is_added_after_it_is_used_again
        missed = MissedChanges.new
        missed.close { |entries| assert_empty entries }
        refute missed.add("a", :server)
      end
    end
  end
end
