# frozen_string_literal: true

module Trunkline
  module Bench
    # Rows that are copied into a table, and out of it.
    module CopiedRows
      COPY_IN = "COPY copied FROM STDIN"
      COPY_OUT = "COPY copied TO STDOUT"
      TYPES = %i[Integer Integer Float Boolean String String].freeze # as pg's coders are called

      module_function

      # @param server [PostgresServer]
      def fill(server) = server.psql("CREATE UNLOGGED TABLE copied (id int, visits bigint, score float8, visible bool, name text, body text)")

      # pg writes floats with sixteen digits, so these need no more.
      #
      # @return [Array]
      def row(number)
        [number, number * 1_000_003, number / 8.0, (number % 3).zero?, "resource #{number}", number % 4 == 0 ? nil : "a body\twith a tab, of resource #{number}"]
      end
    end
  end
end
