# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "socket"
require "support/schedulers/reference_scheduler"

module Trunkline
  module Socket
    class ReadinessTest < TestCase
      # Records how long it is asked to wait for a socket, and is ready after some rounds.
      class Patient < ReferenceScheduler
        attr_reader :asked

        def initialize(rounds:, answer:)
          super()
          @rounds = rounds
          @answer = answer
          @asked = []
        end

        def io_wait(io, events, seconds)
          return super unless io.is_a?(BasicSocket)

          @asked << seconds
          @asked.size > @rounds && @answer
        end
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
        ready, waits = patiently(3) { |socket| Readiness.wait_readable(socket, nil) }

        assert ready
        assert_equal [1.0] * 4, waits
      end

      def test_the_last_wait_ends_at_the_deadline
        ready, waits = Readiness.stub(:now, Readiness.now) { patiently(0) { |socket| Readiness.wait_writable(socket, Readiness.now + 0.9) } }

        assert ready
        assert_includes 0..0.9, waits.last.round(6)
      end

      def test_schedulers_that_give_no_mask
        [true, :itself, Object.new].each do |answer|
          assert_equal [true, [1.0, 1.0]], patiently(1, answer) { |socket| Readiness.wait_readable(socket, nil) }
        end
      end

      def test_a_closed_socket
        patiently(0) do |socket|
          socket.close
          assert_raises(IOError) { Readiness.wait_readable(socket, nil) }
        end
      end

      def test_no_deadline
        assert_nil Readiness.deadline(nil)
      end

      private

      def patiently(rounds, answer = IO::READABLE)
        Patient.run(rounds: rounds, answer: answer) do |scheduler|
          sockets = UNIXSocket.pair
          [yield(sockets.first), scheduler.asked]
        ensure
          sockets&.each(&:close)
        end
      end
    end
  end
end
