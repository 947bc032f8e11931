# frozen_string_literal: true

require_relative "../trunk/scoped_value"
require_relative "connection"

module Trunkline
  module PG
    # For code that uses a pool of PG::Connections, as the connection_pool gem provides. No caller waits: each block gets a {Connection} at once, and
    # all of them share the connections of one client. BEGIN, SET and the like reserve one of these until the block ends.
    #
    #   pool = Trunkline::PG::Pool.new("postgres:///app", connections: 4)
    #   pool.with { |connection| connection.exec("SELECT 1").getvalue(0, 0) }   # => "1"
    class Pool
      # @param arguments those of {Connection.connect}
      # @param connections [Integer] shared by queries, at most
      # @param max_connections [Integer] in all, at most
      # @param size [Integer, nil] the same as `max_connections`
      # @raise [ConfigError] an unknown option, or an invalid value
      def initialize(*arguments, connections: nil, max_connections: 16, size: nil, **options)
        @config = Connection.settings_of(arguments, options)
        @client = Connection.client(@config, connections: connections, max_connections: size || max_connections)
      end

      # In a nested block of the same fiber it is the same connection.
      #
      # @yieldparam connection [Connection] for the block alone; session state on a reserved connection is reset afterwards
      # @return [Object] what the block returned
      def with(**)
        held = ScopedValue.find(self)&.value
        return yield(held) if held

        connection = Connection.over(@client, @config)
        scoped = ScopedValue.new(self, connection, alone: true)
        begin
          scoped.begin
          yield connection
        ensure
          scoped.end
          connection.finish
        end
      end
      alias then with

      # Closes all connections.
      #
      # @return [nil]
      def close = @client.close
      alias shutdown close

      # @return [String]
      def inspect = "#<#{self.class} #{@config.server}>"
    end
  end
end
