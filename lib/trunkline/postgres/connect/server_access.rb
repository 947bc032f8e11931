# frozen_string_literal: true

require_relative "../../trunk/pool/pool"
require_relative "fleet"
require_relative "role_watch"
require_relative "session_survey"
require_relative "trunk_factory"

module Trunkline
  module Postgres
    # A client's way to a server: how connections are opened there, those that are open, and what is known of a pooler in between. A client has
    # one, and another where session_url: is given.
    class ServerAccess # :nodoc:
      # @param config [Config]
      # @param responses [ResponseReader] of the client
      # @param epochs [PlanEpoch] of the client
      # @param unfinished [UnfinishedCancels] of the client
      # @param prepare [Boolean] as of {Trunkline.postgres}
      # @param gone [#call] gets a connection whose host is not there any more
      # @param budget keywords of {Pool#initialize}: connections and most
      # @yield [pool, trunks] opens a connection
      # @yieldreturn [Trunk]
      # @return [ServerAccess]
      def self.to(config, responses, epochs, unfinished, prepare:, gone:, **budget)
        fleet = Fleet.new(config.fleet) if config.fleet
        trunks = TrunkFactory.new(config, responses, epochs, unfinished, prepare: prepare, survey: SessionSurvey.new(config.pooler, fleet), fleet: fleet, &gone)
        options = { limits: responses.limits, server: config.server, check: (RoleWatch::QUERY if config.identify_servers?),
                    moved: (trunks.method(:moved?) if config.named?) }
        new(trunks, Pool.new(**budget, **options, divided: !fleet.nil?) { |pool| yield pool, trunks }, options)
      end

      # @return [TrunkFactory]
      attr_reader :trunks

      # @return [Pool]
      attr_reader :pool

      # @return [Hash{Symbol => Object}] keywords of {Pool#initialize} for further pools of such connections
      attr_reader :options

      # @param trunks [TrunkFactory] which opens the connections
      # @param pool [Pool] of these
      # @param options [Hash{Symbol => Object}] for further pools
      def initialize(trunks, pool, options = {})
        @trunks = trunks
        @pool = pool
        @options = options
      end

      # @return [Boolean, nil] whether what is left behind in a session may be lost to a pooler; nil: there was no connection yet
      def pooled = @trunks.survey.pooled

      # Opens a connection where there was none yet.
      #
      # @param request [Request] on whose account that is to be known
      # @return [Boolean, nil] as {#pooled}; nil: there is no connection to be had
      # @raise [Error] the same
      def pooled?(request)
        @pool.perform(Request.script("").limit_as(request)) if pooled.nil?
        pooled
      end
    end
    private_constant :ServerAccess
  end
end
