# frozen_string_literal: true

require_relative "../socket/readiness"

module Trunkline
  module Memcached
    # A server that could not be reached, or has stopped answering, until it answers again. It is asked with a connection of
    # its own, by one caller at a time and once a pause; the pauses grow. That caller does not wait for a server that takes the
    # question and is silent: the connection stays open, and callers that ask for the server later look whether the answer has
    # come.
    class Outage
      # Seconds after the first failure.
      FIRST_PAUSE = 1.0
      # Seconds between two looks for a late answer: a system call each, while every command for the server asks.
      LOOK_EVERY = 0.005
      # Seconds that the caller that asks waits for the answer, and twice as long as connecting took: enough for a server that
      # does answer, and within what a caller of a cache does not notice.
      GRACE = 0.02
      private_constant :FIRST_PAUSE, :LOOK_EVERY, :GRACE

      # @return [ConnectionError] why it was last found to be out
      attr_reader :failure

      # @return [Failback]
      attr_reader :failback

      # @param failure [ConnectionError]
      # @param failback [Failback]
      # @param longest_pause [Numeric] seconds
      # @param at_once [Boolean] whether the server is asked before the first pause: it took the connection, and may answer
      #   any time
      # @yieldreturn [Connector] a new one
      def initialize(failure, failback, longest_pause:, at_once: false, &connector)
        @failure = failure
        @failback = failback
        @longest_pause = longest_pause
        @connector = connector
        @looking = Flag.new
        @pause = FIRST_PAUSE
        @look_at = @probe_at = Waiting.now
        put_off unless at_once
      end

      # Looks for the answer, or asks, where it is time to and no other caller does. Where the server is still out, a fiber that has looked
      # lets the other fibers of its event loop run: a caller that tries again at once, and is refused without a wait, would otherwise
      # keep the fiber that asks from its answer for ever.
      #
      # @yield the server has answered, and {#take} has the connection; no other caller looks meanwhile
      # @yieldreturn [Boolean] whether the server is used again
      # @return [Boolean] the same; false: it has not answered
      def over?(&return_to_use)
        now = Waiting.now
        return false if now < @look_at

        @look_at = now + LOOK_EVERY
        return true if found_over?(now, &return_to_use)

        @look_at = Waiting.now + LOOK_EVERY # asking takes longer than that: the next key of the same call is not to wait for it again
        sleep(0) if Fiber.current_scheduler
        false
      end

      # @return [Connector, nil] connected to a server that has answered; it is the caller's from then on
      def take
        connector = @connected
        @connected = nil
        connector
      end

      # The server answers, and is not used yet.
      #
      # @param failure [ConnectionError, nil] why; nil: as before
      # @return [false]
      def goes_on(failure = nil)
        @failure = failure if failure
        false
      end

      # The server is asked again without another pause.
      def probe_soon
        @look_at = @probe_at = Waiting.now
      end

      # Leaves no open socket.
      def close = forget

      private

      def found_over?(now)
        over = false
        @looking.hold { over = (now < @probe_at ? answered?(now) : probe) && yield }
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

      # A server that has answered nonsense, or hung up, has failed too.
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

      # What a forked child has of its parent's is closed without a word to the server.
      def forget
        [@probed, @connected].each { |connector| connector&.close }
        @probed = @connected = nil
      end
    end
    private_constant :Outage
  end
end
