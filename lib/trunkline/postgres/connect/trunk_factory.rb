# frozen_string_literal: true

require "securerandom"
require_relative "../group_commit/asynchronous_commit"
require_relative "cluster_timeline"
require_relative "../codec"
require_relative "idle_timeout"
require_relative "login"
require_relative "session_settings_check"
require_relative "session_survey"
require_relative "silence_watch"
require_relative "../group_commit/shared_flush"

module Trunkline
  module Postgres
    # Opens the connections of one client: logs in, and builds a trunk.
    class TrunkFactory # :nodoc:
      # Seconds after which a connection to a primary is replaced if a standby is preferred, at random, so that those opened together are not replaced
      # together. A standby that has come back is used again within 10 s: these, and a second for connecting.
      SECOND_CHOICE = 5.0..9.0
      # The range of a server's process IDs: Linux has no larger ones (PID_MAX_LIMIT), and other systems have smaller ones. Poolers report random
      # numbers of 32 bits, of which one in a thousand is as small, or none.
      PROCESSES = (1..1 << 22).freeze
      private_constant :SECOND_CHOICE, :PROCESSES

      # @param config [Config]
      # @param responses [ResponseReader]
      # @param epochs [PlanEpoch] the client's
      # @param unfinished [UnfinishedCancels]
      # @param prepare [Boolean] whether connections keep prepared statements, unless a pooler loses them
      # @param survey [SessionSurvey] of new sessions
      # @param fleet [Fleet, nil] whose processes divide the server's connections
      # @param cluster [ClusterTimeline, nil] that the servers must belong to
      # @param promotions [PromotionWatch, nil] of standbys, one of which may become the primary that callers wait for
      # @yieldparam trunk [Trunk] whose host is not reachable any more
      def initialize(config, responses, epochs, unfinished, prepare:, survey:, fleet: nil, cluster: (ClusterTimeline.new if config.identify_servers?),
                     promotions: (PromotionWatch.new if responses.limits.failover_wait.positive?), &unreachable)
        @cluster = cluster
        @silence = SilenceWatch.new(config, responses.limits.silence, cluster, &unreachable)
        @interval_styles = Startup.interval_styles(config.session, config.dispensable.keys)
        @survey = survey
        @fleet = fleet
        @connector = Connector.new(config, cluster: @cluster, promotions: promotions, survey: survey)
        @responses = responses
        @epochs = epochs
        @unfinished = unfinished
        @prepare = prepare
        @pooled = false
        @prefers_standby = config.target_session_attrs == "prefer-standby"
      end

      # @return [SessionSurvey]
      attr_reader :survey

      # @return [ClusterTimeline, nil] what is known of the cluster; nil: servers are not queried for their identity
      attr_reader :cluster

      # @param config [Config] for another kind of server of the same cluster
      # @yieldparam trunk [Trunk] whose host is not reachable any more
      # @return [TrunkFactory] for such servers, of the same client; callers that wait for the original kind of server do not wait for these
      def for_other_servers(config, &unreachable)
        TrunkFactory.new(config, @responses, @epochs, @unfinished, prepare: @prepare, survey: SessionSurvey.new(config.pooler),
                                                                cluster: @cluster ||= ClusterTimeline.new, promotions: nil, &unreachable)
      end

      # @param pool [Pool] that the trunk is for
      # @return [Trunk] that queries may share
      # @raise [Error] no connection could be opened
      def open(pool) = IdleTimeout.apply(pool, trunk_of(Login.open(@connector, @responses), pool), @responses)

      # @param pool [Pool]
      # @param flush [Statement] that waits for the disk
      # @return [Trunk] on which writes share their flush
      # @raise [Error] no connection could be opened
      def open_writer(pool, flush)
        connection = Login.open(@connector, @responses)
        AsynchronousCommit.prepare(trunk_of(connection, pool), connection.backend_pid, flush, @responses)
      end

      # @return [Boolean] whether another server may be found than in the last failed attempt: see {Connector#address_changed?}
      def address_changed? = @connector.address_changed?

      # Closes searches that callers have left unfinished.
      #
      # @return [void]
      def close = @connector.close

      # Forgets what is known of the cluster and of poolers.
      #
      # @return [void]
      def forget_cluster
        @cluster&.forget
        @survey.forget
      end

      # @param server [String] label of a host that is tried last for a while
      # @param reason [String]
      # @return [void]
      def avoid(server, reason) = @connector.avoid(server, reason)

      # A server has refused a write, as it is read-only.
      #
      # @return [void]
      def refused_write = @connector.refused_write

      # @param pools [Array<Pool>] of the connections that it has opened
      # @return [Hash{Symbol => Object}] hosts and switches, as {Client#stats} documents them
      def stats(pools) = @connector.stats(pools.flat_map { |pool| pool.stats[:trunks] }.map { |trunk| trunk[:server] }.tally)

      private

      def trunk_of(connection, pool)
        prefix = @prepare && connection.findings.keeps_statements ? "t#{SecureRandom.alphanumeric(8)}_" : ""
        limits = @responses.limits
        codec = Codec.new(connection.parameters.dup, limits.max_message, @epochs, prefix, limits.max_unrequested).tap { |made| made.input << connection.leftover }
        codec.responses = @responses
        codec.behind_pooler! if (pooled = connection.findings.pooled || pooled?(connection))
        @responses.types_unchecked = true if pooled || prefix.empty?
        canceller = @unfinished.canceller(connection)
        trunk = Trunk.new(connection.io, codec, server: connection.server, pool: pool, canceller: canceller, silence: @silence)
        trunk.server_process = connection.backend_pid
        trunk.pooled = connection.findings.pooled
        trunk.share = connection.findings.share
        @fleet.opened(trunk, limits) if trunk.share
        admit(trunk, connection.identity) if @cluster
        bound_second_choice(trunk)
        connection.minimal_startup? ? SessionSettingsCheck.check(trunk, @responses, @interval_styles) : trunk
      end

      # What one connection of a client shows applies to those that follow.
      def pooled?(connection)
        process = connection.backend_pid
        @pooled ||= connection.minimal_startup? || !PROCESSES.cover?(process) || connection.identity&.pooled?(process)
      end

      # If there is no standby, each search costs a connection to the primary, and 250 ms if a host is silent.
      def bound_second_choice(trunk)
        return unless @prefers_standby && (trunk.origin ? !trunk.origin.recovery : trunk.codec.parameters["in_hot_standby"] == "off")

        trunk.state.set_in_flight_limits(@responses.limits.max_in_flight, @responses.limits.max_bytes_in_flight, Clock.now + rand(SECOND_CHOICE))
      end

      def admit(trunk, identity)
        admitted = @cluster.admit(trunk, identity)
      ensure
        trunk.close("its server was refused") unless admitted
      end
    end
    private_constant :TrunkFactory
  end
end
