# frozen_string_literal: true

require_relative "../../errors"

module Trunkline
  module Postgres
    # Whether the sessions of a client begin with array_nulls on: without it, a server reads the NULL in an array's text as the text "NULL". Queried
    # when the first Array with a nil is sent, or a COPY of rows with arrays begins, and again as long as it is off.
    class ArrayNulls # :nodoc:
      SQL = "SELECT reset_val FROM pg_catalog.pg_settings WHERE name OPERATOR(pg_catalog.=) 'array_nulls'"
      private_constant :SQL

      # @param server [String] label for errors
      # @yieldparam sql [String]
      # @yieldparam params [Array<String>]
      # @yieldreturn [Array<Array>] rows
      def initialize(server, &query)
        @server = server
        @query = query
        @on = false
      end

      # Raises for a nil in an Array, without a query.
      Off = Struct.new(:server) do
        # @param name [String] of the parameter, or the column
        # @raise [ConfigError]
        def check(name)
          raise ConfigError.new("array_nulls is off, and the server would read the nil in #{name} as the text \"NULL\": ALTER ROLE ... SET array_nulls = on, or " \
                                "options: \"-c array_nulls=on\"", server: server)
        end
      end
      private_constant :Off

      # @param name [String] of the parameter
      # @yield as for {#initialize}; without a block, as there
      # @raise [ConfigError] it is off
      def check(name, &query) = off(&query)&.check(name)

      # @yield as for {#initialize}; without a block, that one
      # @return [#check, nil] nil: it is on
      def off(&query)
        Off.new(@server) unless @on || (@on = on?(query || @query))
      rescue InFailedSqlTransaction
        nil # no query can be sent there, and the server will refuse the statement as well
      end

      private

      def on?(query) = query.call(SQL, []) != [["off"]]
    end
    private_constant :ArrayNulls
  end
end
