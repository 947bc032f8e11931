# frozen_string_literal: true

require "test_helper"
require "socket"

module Trunkline
  module Socket
    class ReadinessTest < TestCase
      # Records how long it is asked to wait, and is ready after some rounds.
      class Patient
        attr_reader :waits

        def initialize(rounds)
          @rounds = rounds
          @waits = []
        end

        def wait_readable(seconds)
          @waits << seconds
          self if @waits.size > @rounds
        end
        alias wait_writable wait_readable
      end

      def test_ready_at_once
        one, other = UNIXSocket.pair
        other << "x"

        assert Readiness.wait_readable(one, nil)
        assert Readiness.wait_writable(one, Readiness.deadline(10))
      ensure
        [one, other].each(&:close)
      end

      def test_the_deadline_passes
        one, other = UNIXSocket.pair
        started = Readiness.now

        refute Readiness.wait_readable(one, Readiness.deadline(0.02))
        assert_operator Readiness.now - started, :>=, 0.02
        refute Readiness.wait_readable(one, Readiness.deadline(-1))
      ensure
        [one, other].each(&:close)
      end

      def test_long_waits_are_made_of_short_ones
        io = Patient.new(3)

        assert Readiness.wait_readable(io, nil)
        assert_equal [1.0] * 4, io.waits
      end

      def test_the_last_wait_ends_at_the_deadline
        io = Patient.new(0)

        assert Readiness.wait_writable(io, Readiness.now + 0.9)
        assert_includes 0..0.9, io.waits.last.round(6)
      end

      def test_no_deadline
        assert_nil Readiness.deadline(nil)
      end
    end
  end
end
