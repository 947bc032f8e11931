# frozen_string_literal: true

require_relative "../config"
require_relative "connection_attempt"

module Trunkline
  module Postgres
    # Connects to the first of the hosts with which that works, and which is of the kind that is asked for.
    class Connector
      # @param config [Config]
      # @return [Connection]
      # @raise [ConnectionError] when no host can be connected to; {ConnectionError#reasons} tells why
      # @raise [UnsuitableServer] when the only one is not what target_session_attrs asks for
      # @raise [ServerError] when a server refuses: InvalidPassword, InvalidCatalogName, TooManyConnections, ...
      # @raise [ProtocolError] when what answers is no PostgreSQL server
      # @raise [ConfigError] when the callable for the password returns nonsense
      def self.connect(config) = new(config).connect

      # @param config [Config]
      # @param random [Random] for load_balance_hosts
      def initialize(config, random: Random)
        @config = config
        @hosts = config.load_balance_hosts == "random" ? config.hosts.shuffle(random: random) : config.hosts
        @failures = {}
      end

      # @return [Connection]
      def connect
        connection = @config.target_session_attrs == "prefer-standby" ? prefer_standby : search(@hosts, @config.target_session_attrs)
        connection || raise(failure)
      end

      private

      # Where there is no standby, a server that answered will do.
      def prefer_standby
        search(@hosts, "standby") || search(@failures.select { |_, error| error.is_a?(UnsuitableServer) }.keys, "any")
      end

      def search(hosts, wanted)
        hosts.each do |host|
          connection = try(host, wanted)
          return connection if connection
        end
        nil
      end

      # What would fail again in the same way ends the search: a refused password, a missing database.
      def try(host, wanted)
        ConnectionAttempt.new(@config, host, wanted).connect
      rescue Error => error
        raise unless error.retriable?

        @failures[host] = error
        nil
      end

      def failure
        reasons = @failures.values
        return reasons.first if reasons.size == 1

        message = "none of the #{reasons.size} hosts could be connected to: #{reasons.map(&:message).join("; ")}"
        ConnectionError.new(message, reasons: reasons, server: @config.server)
      end
    end
  end
end
