# frozen_string_literal: true

require_relative "../../socket/readiness"
require_relative "../../socket/resumable"
require_relative "connection_attempt"

module Trunkline
  module Postgres
    # One look at the other hosts, while one that owes an answer lets new connections in: behind a pooler its server may be frozen, or it waits for standbys
    # that follow another primary by now. New connections to the others tell on which timeline they are. Behind a pooler another one to the same host
    # tells whether its server answers. As with {HostProbe}, the caller that waits for the answer makes them.
    class PeerProbe # :nodoc:
      # Seconds within which they tell it.
      ANSWER = 1.0
      private_constant :ANSWER

      # @param config [Config]
      # @param hosts [Array<Config::Host>]
      # @param cluster [ClusterTimeline] that they must belong to
      # @param pooled [Config::Host, nil] the pooler that lets new connections in; nil: it is the server itself, which answers then
      def initialize(config, hosts, cluster, pooled: nil)
        @ends_at = Socket::Readiness.now + ANSWER
        look = ->(host) { Socket::Resumable.new { ConnectionAttempt.new(config, host, others: true, cluster: cluster).connect } }
        @pooled = pooled && look.call(pooled)
        @answered = pooled.nil?
        @looks = [*hosts.map(&look), *@pooled].each(&:resume)
      end

      # @return [Boolean] whether this thread can go on with it
      def mine? = @looks.all? { |look| look.over? || look.resumable? }

      # Goes on until another host has answered, or there is something else to do.
      #
      # @param io [IO] on which the answer is awaited that is owed
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @yieldparam identity [ServerIdentity, nil] of a host that has answered
      # @return [Symbol, nil] when all have answered or had their time :there, or :unanswered where the server behind the pooler has not; nil: not yet
      def run(io, deadline, &told)
        own = Socket::Resumable::Wait.new(io, :wait_readable, nil)
        until @looks.any?(&:over?) || time_over? || (deadline && Socket::Readiness.now >= deadline)
          ready = Socket::Readiness.wait_for_any([*@looks.map(&:wait), own], [deadline, @ends_at].compact.min)
          @looks.each { |look| look.resume if ready.any? { |wait| wait.equal?(look.wait) } }
          break if ready.any? { |wait| wait.equal?(own) }
        end
        tell(&told)
        (@answered ? :there : :unanswered) if @looks.empty? || time_over?
      end

      # Closes what is under way.
      #
      # @return [void]
      def abandon
        @looks.each do |look|
          look.value&.io&.close
          look.abandon
        end.clear
      end

      private

      def time_over? = Socket::Readiness.now >= @ends_at

      def tell
        over, @looks = @looks.partition(&:over?)
        @answered ||= over.include?(@pooled) && !@pooled.value.nil?
        over.filter_map(&:value).each do |connection|
          connection.io.close
          yield connection.identity
        end
      end
    end
    private_constant :PeerProbe
  end
end
