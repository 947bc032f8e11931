# frozen_string_literal: true

require_relative "../trunk/scoped_value"
require_relative "connection"

module Trunkline
  module PG
    # For code that takes a pool of PG::Connection, as the connection_pool gem has it. There is nothing to wait for: each block gets a
    # {Connection} at once, and all of them share the connections of one client. BEGIN, SET and the like take one of these
    # until the block ends.
    #
    #   pool = Trunkline::PG::Pool.new("postgres:///app", connections: 4)
    #   pool.with { |connection| connection.exec("SELECT 1").getvalue(0, 0) }   # => "1"
    class Pool
      # @param arguments what {Connection.connect} takes
      # @param connections [Integer] the most that queries share
      # @param max_connections [Integer] the most in all
      # @param size [Integer, nil] as `max_connections`
      # @raise [ConfigError] an option that does not exist, or a value that cannot be
      def initialize(*arguments, connections: nil, max_connections: 16, size: nil, **options)
        @config = Connection.settings_of(arguments, options)
        @client = Connection.client(@config, connections: connections, max_connections: size || max_connections)
      end

      # Within the block of another one of this fiber it is the same connection.
      #
      # @yieldparam connection [Connection] for the block alone; what was left behind on a connection of its own is ended behind it
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

      # Ends all connections.
      #
      # @return [nil]
      def close = @client.close
      alias shutdown close

      # @return [String]
      def inspect = "#<#{self.class} #{@config.server}>"
    end
  end
end
