# frozen_string_literal: true

require "test_helper"
require "support/schedulers/dropping"

module Trunkline
  module Postgres
    # Callers that wait until a replica has replayed a position, of which each replica takes so many at once.
    class ReplayWaitsTest < TestCase
      ABLE = Struct.new(:number) { def supports_replay_wait?(_position) = true }
      private_constant :ABLE

      def setup
        super
        @waits = ReplayWaits.new([ABLE.new(0)], nil, nil, 1)
        @waits.define_singleton_method(:replayed?) { |*| Fiber.current.blocking? || Fiber.yield }
      end

      def test_one_that_was_dropped_leaves_room
        Thread.new { Dropping.run { Fiber.schedule { wait } } }.join
        assert_equal [0, 0], Array.new(2) { wait&.number }
      end

      def test_one_that_waits_does_not
        Dropping.run do
          Fiber.schedule { wait }
          assert_nil wait
        end
      end

      private

      def wait = @waits.replica_for(Position.new(1, 1, 0), Route.new, nil)
    end
  end
end
