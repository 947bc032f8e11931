# frozen_string_literal: true

require_relative "../../../socket/readiness"
require_relative "name_lookup"

module Trunkline
  module Postgres
    # One look whether the name of a host leads to the server of a connection still, where that server owes an answer and there is no other host.
    # It is made by the caller that waits for the answer, as {HostProbe} is, and costs the server nothing.
    class NameProbe # :nodoc:
      # Seconds within which the name is looked up; then it counts as unchanged until the next look.
      ANSWER = 1.0
      private_constant :ANSWER

      # @param host [Config::Host]
      # @param address [Array(String, Integer)] address and port that the connection leads to
      def initialize(host, address)
        @address = address
        @thread = Thread.current
        @ends_at = Socket::Readiness.now + ANSWER
        @lookup = NameLookup.new(host, 0.0)
        @found = @lookup.resume
      end

      # @return [Boolean] whether this thread can go on with it
      def mine? = @thread.equal?(Thread.current)

      # Goes on until the name is looked up, or there is something else to do.
      #
      # @param io [IO] on which the answer is awaited that the host owes
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @return [Symbol, nil] :unchanged; :moved; nil: something may have come on the io, or the deadline has passed
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
        return @found.empty? || @found.include?(@address) ? :unchanged : :moved if @found

        :unchanged if Socket::Readiness.now >= @ends_at
      end
    end
    private_constant :NameProbe
  end
end
