# frozen_string_literal: true

require "socket"
require_relative "readiness"

module Trunkline
  module Socket
    # Looks up the addresses of a name with the system's resolver.
    #
    # The resolver may take long, and before Ruby 3.3 it cannot be interrupted. So it runs in a thread that ends with the answer, while the caller
    # waits as for any descriptor, and no longer than its deadline. Callers that look up the same name at the same time share the lookup: a resolver
    # that hangs costs one thread for each name, not for each caller.
    class Lookup
      @running = {}

      class << self
        # @param host [String] a name or an address
        # @param port [Integer]
        # @param deadline [Float, nil] on the clock of {Readiness.now}
        # @return [Array<Addrinfo>, nil] in the resolver's order; nil: the deadline has passed
        # @raise [SocketError] there are none
        def addresses(host, port, deadline) = literal(host, port) || under_way(host, port).answer(deadline)

        # @param host [String]
        # @param port [Integer, nil]
        # @return [Array<Addrinfo>, nil] nil: it is not an address
        def literal(host, port = nil)
          Addrinfo.getaddrinfo(host, port, nil, :STREAM, nil, ::Socket::AI_NUMERICHOST)
        rescue SocketError
          nil
        end

        # @param lookup [Lookup] one that has ended
        def forget(lookup) = @running.delete_if { |_, running| running.equal?(lookup) }

        private

        # Two threads at the same moment may start two, which does no harm. In a forked child the parent's lookups have no thread. One that ended
        # before it was added here was not removed.
        def under_way(host, port)
          running = @running[[host, port]]
          running&.alive? ? running : @running[[host, port]] = new(host, port)
        end
      end

      def initialize(host, port)
        @signals = []
        @ended = false
        @thread = Thread.new { run(host, port) }
      end

      # @return [Boolean] whether it still runs
      def alive? = !@ended && @thread.alive?

      # @param deadline [Float, nil]
      # @return [Array<Addrinfo>, nil] nil: the deadline has passed
      # @raise [SocketError]
      def answer(deadline)
        reader, signal = IO.pipe
        @signals << signal
        until @ended
          return unless Readiness.wait_readable(reader, deadline)
        end
        @error ? raise(SocketError, @error.message) : @addresses
      ensure
        reader&.close
        signal&.close if @signals.delete(signal)
      end

      private

      def run(host, port)
        @addresses = Addrinfo.getaddrinfo(host, port, nil, :STREAM)
      rescue StandardError => error
        @error = error
      ensure
        end_waiting
      end

      # A caller that waits adds its signal before it checks whether this has ended. Whatever removes a signal closes it.
      def end_waiting
        @ended = true
        self.class.forget(self)
        while (signal = @signals.shift)
          signal.close
        end
      end
    end

    private_constant :Lookup
  end
end
