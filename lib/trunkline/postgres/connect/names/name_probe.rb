# frozen_string_literal: true

require_relative "../../../socket/readiness"
require_relative "../../../socket/tcp"
require_relative "name_lookup"

module Trunkline
  module Postgres
    # Checks whether the name of a host still resolves to the server of a connection, when that server owes an answer and there is no other host. The
    # caller that waits for the answer runs it, as it does {HostProbe}. It does not load the server.
    class NameProbe # :nodoc:
      # Seconds for the lookup, as for a host's answer; after that, the name counts as unchanged until the next check.
      ANSWER = Socket::TCP::ANSWER
      private_constant :ANSWER

      # @param host [Config::Host]
      # @param address [Array(String, Integer)] address and port of the connection's server
      def initialize(host, address)
        @address = address
        @thread = Thread.current
        @ends_at = Socket::Readiness.now + ANSWER
        @lookup = NameLookup.new(host, 0.0)
        @found = @lookup.resume
      end

      # @return [Boolean] whether this thread can continue it
      def continuable? = @thread.equal?(Thread.current)

      # Runs until the name is looked up, or the caller has something else to do.
      #
      # @param io [IO] on which the host owes an answer
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @return [Symbol, nil] :unchanged; :changed; nil: something may have arrived on the io, or the deadline has passed
      def run(io, deadline)
        own = Socket::Resumable::Wait.new(io, :wait_readable, nil)
        until (finding = self.finding) || (deadline && Socket::Readiness.now >= deadline)
          ready = Socket::Readiness.wait_for_any([@lookup.wait, own], [deadline, @ends_at].compact.min)
          @found = @lookup.resume if ready.any? { |wait| wait.equal?(@lookup.wait) }
          break if ready.any? { |wait| wait.equal?(own) }
        end
        finding
      end

      # Ends it.
      #
      # @return [void]
      def abandon = @lookup.abandon

      private

      def finding
        return @found.empty? || @found.include?(@address) ? :unchanged : :changed if @found

        :unchanged if Socket::Readiness.now >= @ends_at
      end
    end
    private_constant :NameProbe
  end
end
