# frozen_string_literal: true

require_relative "../../config"
require_relative "../../socket/readiness"
require_relative "../../socket/resumable"
require_relative "../../socket/tcp"
require_relative "connection_attempt"

module Trunkline
  module Postgres
    # Checks whether a host is reachable by a new connection, which is closed as soon as the server has accepted or refused it. The caller that waits
    # for an answer on another connection to that host runs the probe, and stops as soon as something arrives there.
    class HostProbe # :nodoc:
      # Seconds within which a reachable host accepts a connection and a login. They count from the first probe of a row, as a caller may have less
      # time and another one may continue with a further probe.
      ANSWER = Socket::TCP::ANSWER
      # Seconds that each probe has at least: within them another host is not tried either (RFC 8305).
      LEAST = 0.25
      # Local failures, which show nothing about the host.
      OURS = [Errno::EMFILE, Errno::ENFILE, Errno::ENOMEM, Errno::ENOBUFS, Errno::EADDRNOTAVAIL, ThreadError, Closed].freeze
      private_constant :ANSWER, :LEAST, :OURS

      # @return [Float] when the first probe of the row began, on the clock of {Socket::Readiness.now}
      attr_reader :row_since

      # @param config [Config]
      # @param host [Config::Host]
      # @param before [HostProbe, nil] one that its caller could not finish
      def initialize(config, host, before = nil)
        now = Socket::Readiness.now
        @row_since = before && now - before.row_since < ANSWER + LEAST ? before.row_since : now
        @ends_at = [@row_since + ANSWER, now + LEAST].max
        attempt = ConnectionAttempt.new(config, host, others: true)
        @resumable = Socket::Resumable.new { attempt.connect }
        @resumable.resume
        @finding = nil
      end

      # @return [Boolean] whether this thread can continue it
      def continuable? = @resumable.over? || @resumable.resumable?

      # Runs until there is a finding, or the caller has something else to do.
      #
      # @param io [IO] on which the host owes an answer
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @return [Symbol, nil] :reachable, :unreachable; nil: something may have arrived on the io, or the deadline has passed
      def run(io, deadline)
        own = Socket::Resumable::Wait.new(io, :wait_readable, nil)
        until (finding = self.finding) || (deadline && Socket::Readiness.now >= deadline)
          ready = Socket::Readiness.wait_for_any([@resumable.wait, own], [deadline, @ends_at].compact.min)
          @resumable.resume if ready.any? { |wait| wait.equal?(@resumable.wait) }
          break if ready.any? { |wait| wait.equal?(own) }
        end
        finding
      end

      # Closes its connection.
      #
      # @return [void]
      def abandon
        @resumable.value&.io&.close
        @resumable.abandon
      end

      private

      def finding
        @finding ||= if @resumable.over? then answered? ? :reachable : :unreachable
                     elsif Socket::Readiness.now >= @ends_at then :unreachable
                     end
      end

      # A server that refuses the login is reachable.
      def answered?
        error = @resumable.error or return true

        !error.is_a?(ConnectionError) || !error.retriable? || OURS.any? { |ours| ours === error || ours === error.cause } # rubocop:disable Style/CaseEquality
      end
    end
    private_constant :HostProbe
  end
end
