# frozen_string_literal: true

require_relative "../socket/readiness"
require_relative "../trunk/turn"

module Trunkline
  module Memcached
    # A server that could not be reached, or has stopped answering, until it answers again. It is probed over a connection of its own, by one caller
    # at a time, with growing pauses. The caller does not wait long for a server that accepts the probe and is silent: the connection stays open, and
    # later callers check whether the answer has arrived.
    class Outage
      # Seconds after the first failure; each pause is twice the one before. In bench/results/memcached.md 100 callers open three
      # connections to a server that is stopped for 6 s.
      FIRST_PAUSE = 1.0
      # Seconds between two checks for a late answer: each is a system call, and every command for the server may check, so these are 200 a second. A
      # server that is resumed is used that much later.
      CHECK_INTERVAL = 0.005
      # Seconds that the probing caller waits for the answer, and twice as long as connecting took: enough for a server that works, and short enough
      # for a caller of a cache. Beside a stopped server, three of some 1,070 calls took 23 ms for it, one in each pause.
      GRACE = 0.02
      private_constant :FIRST_PAUSE, :CHECK_INTERVAL, :GRACE

      # @return [ConnectionError] the reason for which it was last found down
      attr_reader :failure

      # @return [Failback]
      attr_reader :failback

      # @param failure [ConnectionError]
      # @param failback [Failback]
      # @param longest_pause [Numeric] seconds
      # @param at_once [Boolean] whether the server is probed before the first pause: it has accepted the connection, and may answer any time
      # @yieldreturn [Connector] a new one
      def initialize(failure, failback, longest_pause:, at_once: false, &connector)
        @failure = failure
        @failback = failback
        @longest_pause = longest_pause
        @connector = connector
        @turn = Turn.new
        @pause = FIRST_PAUSE
        @check_at = @probe_at = Waiting.now
        put_off unless at_once
      end

      # Checks for the answer, or sends a probe, if that is due and no other caller does. If the server is still down, a fiber that has checked lets
      # other fibers of its event loop run: a caller that repeats its call at once, and is refused without waiting, would otherwise prevent the
      # probing fiber from ever reading its answer.
      #
      # @yield the server has answered, and {#take} has the connection; no other caller checks meanwhile
      # @yieldreturn [Boolean] whether the server is used again
      # @return [Boolean] the same; false: it has not answered
      def over?(&return_to_use)
        now = Waiting.now
        return false if now < @check_at

        @check_at = now + CHECK_INTERVAL
        return true if found_over?(now, &return_to_use)

        @check_at = Waiting.now + CHECK_INTERVAL # a probe takes longer than that: the next key of the same call must not wait for it again
        sleep(0) if Fiber.current_scheduler
        false
      end

      # @return [Connector, nil] connected to a server that has answered; the caller owns it from then on
      def take
        connector = @connected
        @connected = nil
        connector
      end

      # The server answers, but is not used yet.
      #
      # @param failure [ConnectionError, nil] why; nil: as before
      # @return [false]
      def stay_out(failure = nil)
        @failure = failure if failure
        false
      end

      # The next probe is due without another pause.
      def probe_soon
        @check_at = @probe_at = Waiting.now
      end

      # Closes the probe's socket.
      def close = forget

      private

      def found_over?(now)
        over = false
        @turn.take(now) { over = (now < @probe_at ? answered?(now) : probe) && yield }
        over
      end

      def probe
        forget
        connector = @connector.call
        start = Waiting.now
        connector.probe
        @probed = connector
        put_off
        answered?(Waiting.now + GRACE + (2 * (Waiting.now - start)))
      rescue ConnectionError => error
        failed(connector, error)
      ensure
        connector&.close unless [@probed, @connected].include?(connector)
      end

      # A server that has sent an invalid answer, or closed the connection, has failed too.
      def answered?(deadline)
        connector = @probed
        return false unless connector && !connector.inherited? && connector.answered?(deadline)

        @connected = connector
        @probed = nil
        true
      rescue ConnectionError => error
        @probed = nil
        failed(connector, error)
      end

      def failed(connector, error)
        @failure = error
        connector&.close
        put_off if Waiting.now >= @probe_at
        false
      end

      def put_off
        @probe_at = Waiting.now + [@pause, @longest_pause].min
        @pause *= 2
      end

      # In a forked child, the parent's connection is closed without sending anything.
      def forget
        [@probed, @connected].each { |connector| connector&.close }
        @probed = @connected = nil
      end
    end
    private_constant :Outage
  end
end
