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
    # Opens the connections of one client: logs in, and makes a trunk of what that returns.
    class TrunkFactory # :nodoc:
      # Seconds after which a connection to a primary, where a standby is preferred, is replaced: at a random moment, so that those opened
      # together do not go together. A standby that has come back is used again within 10 s.
      SECOND_CHOICE = 5.0..9.0
      # Numbers that processes of servers have: Linux has no larger ones (PID_MAX_LIMIT), and other systems smaller ones. Poolers tell random ones
      # of 32 bits, of which one in a thousand is as small, or none.
      PROCESSES = (1..1 << 22).freeze
      private_constant :SECOND_CHOICE, :PROCESSES

      # @param config [Config]
      # @param responses [ResponseReader]
      # @param epochs [PlanEpoch] the client's
      # @param unfinished [UnfinishedCancels]
      # @param prepare [Boolean] whether connections keep prepared statements, where no pooler loses them
      # @param survey [SessionSurvey] what new sessions are asked
      # @param fleet [Fleet, nil] whose processes share the server's connections
      # @param cluster [ClusterTimeline, nil] that the servers must belong to
      # @param promotions [PromotionWatch, nil] of standbys that may become the primary that callers wait for
      # @yieldparam trunk [Trunk] whose host is not there any more
      def initialize(config, responses, epochs, unfinished, prepare:, survey:, fleet: nil, cluster: (ClusterTimeline.new if config.identify_servers?),
                     promotions: (PromotionWatch.new if responses.limits.failover_wait.positive?), &gone)
        @cluster = cluster
        @silence = SilenceWatch.new(config, responses.limits.silence, cluster, &gone)
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

      # @return [ClusterTimeline, nil] what was seen of the servers; nil: they are not asked
      attr_reader :cluster

      # @param config [Config] of another kind of server of the same cluster
      # @yieldparam trunk [Trunk] whose host is not there any more
      # @return [TrunkFactory] for such servers, of the same client; what waits for a server does not wait for these
      def beside(config, &gone)
        TrunkFactory.new(config, @responses, @epochs, @unfinished, prepare: @prepare, survey: SessionSurvey.new(config.pooler),
                                                                cluster: @cluster ||= ClusterTimeline.new, promotions: nil, &gone)
      end

      # @param pool [Pool] that it is for
      # @return [Trunk] that queries may share
      # @raise [Error] there is none to be had
      def open(pool) = IdleTimeout.heed(pool, trunk_of(Login.open(@connector, @responses), pool), @responses)

      # @param pool [Pool]
      # @param flush [Statement] that waits for the disk
      # @return [Trunk] on which writes share their flush
      # @raise [Error] there is none to be had
      def open_writer(pool, flush)
        connection = Login.open(@connector, @responses)
        AsynchronousCommit.prepare(trunk_of(connection, pool), connection.backend_pid, flush, @responses)
      end

      # @return [Boolean] whether another server may be found than the last time, where none could be connected to: see {Connector#moved?}
      def moved? = @connector.moved?

      # Closes what callers have left that could wait no longer for a connection.
      #
      # @return [void]
      def close = @connector.close

      # What was seen of the cluster and of poolers does not count any more.
      #
      # @return [void]
      def forget_cluster
        @cluster&.forget
        @survey.forget
      end

      # @param server [String] label of a host that is to be tried last for a while
      # @param reason [String]
      # @return [void]
      def avoid(server, reason) = @connector.avoid(server, reason)

      # @param pools [Array<Pool>] that it has opened connections for
      # @return [Hash{Symbol => Object}] hosts and switches, as {Client#stats} explains them
      def stats(pools) = @connector.stats(pools.flat_map { |pool| pool.stats[:trunks] }.map { |trunk| trunk[:server] }.tally)

      private

      def trunk_of(connection, pool)
        prefix = @prepare && connection.findings.keeps_statements ? "t#{SecureRandom.alphanumeric(8)}_" : ""
        limits = @responses.limits
        codec = Codec.new(connection.parameters.dup, limits.max_message, @epochs, prefix, limits.max_unrequested).tap { |made| made.input << connection.leftover }
        codec.responses = @responses
        codec.behind_pooler! if connection.findings.pooled || pooled?(connection)
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

      # Of one client, what one connection shows holds for those that follow.
      def pooled?(connection)
        process = connection.backend_pid
        @pooled ||= connection.minimal_startup? || !PROCESSES.cover?(process) || connection.identity&.pooled?(process)
      end

      # Where there is none, each look costs a connection to the primary, and 250 ms where a host is silent.
      def bound_second_choice(trunk)
        return unless @prefers_standby && (trunk.origin ? !trunk.origin.recovery : trunk.codec.parameters["in_hot_standby"] == "off")

        trunk.state.bound(@responses.limits.max_in_flight, @responses.limits.max_bytes_in_flight, Waiting.now + rand(SECOND_CHOICE))
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
