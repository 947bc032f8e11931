# frozen_string_literal: true

require_relative "../../trunk/pool/pool"
require_relative "fleet"
require_relative "role_watch"
require_relative "session_survey"
require_relative "trunk_factory"

module Trunkline
  module Postgres
    # A client's access to a server: how connections are opened there, the open ones, and whether there is a pooler in between. A client has one, and
    # a second one with session_url.
    class ServerAccess # :nodoc:
      # @param config [Config]
      # @param responses [ResponseReader] of the client
      # @param epochs [PlanEpoch] of the client
      # @param unfinished [UnfinishedCancels] of the client
      # @param prepare [Boolean] as in {Trunkline.postgres}
      # @param unreachable [#call] takes a connection whose host is not reachable any more
      # @param budget keywords of {Pool#initialize}: connections and most
      # @yield [pool, trunks] opens a connection
      # @yieldreturn [Trunk]
      # @return [ServerAccess]
      def self.to(config, responses, epochs, unfinished, prepare:, unreachable:, **budget)
        fleet = Fleet.new(config.fleet) if config.fleet
        trunks = TrunkFactory.new(config, responses, epochs, unfinished, prepare: prepare, survey: SessionSurvey.new(config.pooler, fleet), fleet: fleet, &unreachable)
        options = { limits: responses.limits, server: config.server, check: (RoleWatch::QUERY if config.identify_servers?),
                    address_changed: (trunks.method(:address_changed?) if config.named?) }
        new(trunks, Pool.new(**budget, **options, divided: !fleet.nil?) { |pool| yield pool, trunks }, options)
      end

      # @return [TrunkFactory]
      attr_reader :trunks

      # @return [Pool]
      attr_reader :pool

      # @return [Hash{Symbol => Object}] keywords of {Pool#initialize} for further pools of the same server
      attr_reader :options

      # @param trunks [TrunkFactory] opens the connections
      # @param pool [Pool] of these
      # @param options [Hash{Symbol => Object}] for further pools
      def initialize(trunks, pool, options = {})
        @trunks = trunks
        @pool = pool
        @options = options
      end

      # @return [Boolean, nil] whether session state may be lost because of a pooler; nil: there was no connection yet
      def pooled = @trunks.survey.pooled

      # Opens a connection if there was none yet.
      #
      # @param request [Request] that needs to know
      # @return [Boolean, nil] as {#pooled}; nil: no connection could be opened
      # @raise [Error] no connection could be opened
      def pooled?(request)
        @pool.perform(Request.script("").copy_limits(request)) if pooled.nil?
        pooled
      end
    end
    private_constant :ServerAccess
  end
end
