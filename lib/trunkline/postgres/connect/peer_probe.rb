# frozen_string_literal: true

require_relative "../../socket/readiness"
require_relative "../../socket/resumable"
require_relative "connection_attempt"

module Trunkline
  module Postgres
    # Checks the other hosts when one that owes an answer accepts new connections: behind a pooler, its server may be frozen; or it waits for standbys
    # that follow another primary by now. New connections to the others show their timelines. Behind a pooler, another connection to the same host
    # shows whether its server answers. The caller that waits for the answer runs it, as it does {HostProbe}.
    class PeerProbe # :nodoc:
      # Seconds within which the hosts must answer.
      ANSWER = 1.0
      private_constant :ANSWER

      # @param config [Config]
      # @param hosts [Array<Config::Host>]
      # @param cluster [ClusterTimeline] that they must belong to
      # @param pooled [Config::Host, nil] the pooler that accepts new connections; nil: it is the server itself, which has answered
      def initialize(config, hosts, cluster, pooled: nil)
        @ends_at = Socket::Readiness.now + ANSWER
        look = ->(host) { Socket::Resumable.new { ConnectionAttempt.new(config, host, others: true, cluster: cluster).connect } }
        @pooled = pooled && look.call(pooled)
        @answered = pooled.nil?
        @looks = [*hosts.map(&look), *@pooled].each(&:resume)
      end

      # @return [Boolean] whether this thread can continue it
      def mine? = @looks.all? { |look| look.over? || look.resumable? }

      # Runs until another host has answered, or the caller has something else to do.
      #
      # @param io [IO] on which an answer is owed
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @yieldparam identity [ServerIdentity, nil] of a host that has answered
      # @return [Symbol, nil] when all have answered or had their time: :there, or :unanswered if the server behind the pooler has not; nil: not
      #   finished
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

      # Closes its connections.
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
