# frozen_string_literal: true

require_relative "../../socket/readiness"
require_relative "../../socket/resumable"
require_relative "../../socket/tcp"
require_relative "connection_attempt"

module Trunkline
  module Postgres
    # Checks the other hosts when one that owes an answer accepts new connections: behind a pooler, its server may be frozen; or it waits for standbys
    # that follow another primary by now. New connections to the others show their timelines. Behind a pooler, another connection to the same host
    # shows whether its server answers. The caller that waits for the answer runs it, as it does {HostProbe}.
    class PeerProbe # :nodoc:
      # @param config [Config]
      # @param hosts [Array<Config::Host>]
      # @param cluster [ClusterTimeline] that they must belong to
      # @param pooled [Config::Host, nil] the pooler that accepts new connections; nil: it is the server itself, which has answered
      def initialize(config, hosts, cluster, pooled: nil)
        @ends_at = Socket::Readiness.now + Socket::TCP::ANSWER
        probe = ->(host) { Socket::Resumable.new { ConnectionAttempt.new(config, host, others: true, cluster: cluster).connect } }
        @pooled = pooled && probe.call(pooled)
        @answered = pooled.nil?
        @probes = [*hosts.map(&probe), *@pooled].each(&:resume)
      end

      # @return [Boolean] whether this thread can continue it
      def continuable? = @probes.all? { |probe| probe.over? || probe.resumable? }

      # Runs until another host has answered, or the caller has something else to do.
      #
      # @param io [IO] on which an answer is owed
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @yieldparam identity [ServerIdentity, nil] of a host that has answered
      # @return [Symbol, nil] when all have answered or had their time: :reachable, or :unanswered if the server behind the pooler has not; nil: not
      #   finished
      def run(io, deadline, &report)
        own = Socket::Resumable::Wait.new(io, :wait_readable, nil)
        until @probes.any?(&:over?) || time_over? || (deadline && Socket::Readiness.now >= deadline)
          ready = Socket::Readiness.wait_for_any([*@probes.map(&:wait), own], [deadline, @ends_at].compact.min)
          @probes.each { |probe| probe.resume if ready.any? { |wait| wait.equal?(probe.wait) } }
          break if ready.any? { |wait| wait.equal?(own) }
        end
        report_answers(&report)
        (@answered ? :reachable : :unanswered) if @probes.empty? || time_over?
      end

      # Closes its connections.
      #
      # @return [void]
      def abandon
        @probes.each do |probe|
          probe.value&.io&.close
          probe.abandon
        end.clear
      end

      private

      def time_over? = Socket::Readiness.now >= @ends_at

      def report_answers
        over, @probes = @probes.partition(&:over?)
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
