# frozen_string_literal: true

require_relative "../config"
require_relative "attempt"

module Trunkline
  module Postgres
    # Connects to the first of the hosts with which that works.
    class Connector
      # @param config [Config]
      # @return [Connection]
      # @raise [ConnectionError] when no host can be connected to
      # @raise [ServerError] when a server refuses: InvalidPassword, InvalidCatalogName, TooManyConnections, ...
      # @raise [ProtocolError] when whoever answers is no PostgreSQL server
      # @raise [ConfigError] when the callable for the password returns nonsense
      def self.connect(config) = new(config).connect

      # @param config [Config]
      def initialize(config)
        @config = config
        @failures = []
      end

      # @return [Connection]
      def connect
        @config.hosts.each do |host|
          connection = try(host)
          return connection if connection
        end
        raise failure
      end

      private

      # What would fail again in the same way ends the search: a refused password, a missing database.
      def try(host)
        Attempt.new(@config, host).connect
      rescue Error => error
        raise unless error.retriable?

        @failures << error
        nil
      end

      def failure
        return @failures.first if @failures.size == 1

        reasons = @failures.map(&:message).join("; ")
        ConnectionError.new("none of the #{@failures.size} hosts could be connected to: #{reasons}", server: @config.server)
      end
    end
  end
end
