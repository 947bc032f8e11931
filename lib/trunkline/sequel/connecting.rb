# frozen_string_literal: true

require_relative "options"
require_relative "pool"
require_relative "timestamps"
require_relative "values"

module Sequel
  module Trunkline
    # How a Database connects: to a client of Trunkline for each of its servers.
    module Connecting
      # Creates a connection for the Database's pool, by the pool itself.
      #
      # @param server [Symbol, Hash] one of the Database's
      # @return [Connection]
      def connect(server) = pool.connection(server)

      # Runs a query on the server.
      #
      # @return [true]
      # @raise [Sequel::DatabaseConnectionError]
      def test_connection(server = nil)
        check_database_errors { ::Trunkline::Postgres::AdapterInterface.of(pool.client(server)).query("SELECT 1", [], prepare: false) }
        true
      end

      # @param conn [Connection]
      def disconnect_connection(conn) = conn.close

      # @param server [Symbol, nil] one of the Database's
      # @return [::Trunkline::Postgres::Client] the datasets' client, for use beside Sequel: it shares the same connections
      def client(server = nil) = pool.client(server)

      # @param types [Array<Integer>] OIDs of a result's columns
      # @return [Array<#call, nil>, nil] converters of each column's values; nil: none is needed
      def converters(types) = Values.converters(conversion_procs, @timestamps, types) # :nodoc:

      # An extension of Sequel converts infinite timestamps and dates.
      def convert_infinite_timestamps = false

      # @param value [Symbol, String, true, nil]
      def convert_infinite_timestamps=(value)
        return unless value.is_a?(Symbol) || value.is_a?(String) || value == true

        extension(:pg_extended_date_support)
        self.convert_infinite_timestamps = value
      end

      private

      def adapter_initialize
        initialize_postgres_adapter
        conversion_procs[17] = Values::BLOB
        conversion_procs[1082] = Values::DATE if typecast_value_boolean(@opts.fetch(:use_iso_date_format, true))
        @timestamps = Timestamps.new(self, conversion_procs[1114])
        @conversion_procs = Values::Procs.new(conversion_procs) { pool.convert_anew }
        self.convert_infinite_timestamps = @opts[:convert_infinite_timestamps]
      end
    end
  end
end
