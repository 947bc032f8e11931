# frozen_string_literal: true

require_relative "../../errors"

module Trunkline
  module Postgres
    # Whether the sessions of a client begin with array_nulls, without which a server takes the NULL in an array's text for the text "NULL".
    # It is asked for when the first Array with a nil is to be sent, or a COPY of rows with arrays begins, and again as
    # long as it is off.
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

      # What refuses a nil in an Array, without asking the server.
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

      # @yield as for {#initialize}; without a block, as there
      # @return [#check, nil] nil: it is on
      def off(&query)
        Off.new(@server) unless @on || (@on = on?(query || @query))
      rescue InFailedSqlTransaction
        nil # nothing can be asked there, and what is to be sent will be refused as well
      end

      private

      def on?(query) = query.call(SQL, []) != [["off"]]
    end
    private_constant :ArrayNulls
  end
end
