# frozen_string_literal: true

require_relative "comparison"
require_relative "isolated"
require_relative "table"
require_relative "data/accounts"
require_relative "data/resources"

module Trunkline
  module Bench
    # The two kinds of work that clients are compared by: selects by primary key from many callers, and one whole table.
    class SelectsAndRows
      ROWS = 1_000_000 # of the accounts
      SECONDS = 2      # of each side's run
      private_constant :SECONDS

      # @param server [PostgresServer] to be filled with both tables
      # @param runs [Integer]
      def initialize(server, runs:)
        @server = server
        @runs = runs
        Accounts.fill(server, ROWS)
        Resources.fill(server)
      end

      # @param sides [Hash{String => Isolated}] see {#pg} and {#trunkline}
      # @return [Hash{String => Hash}] see {Comparison#rates}
      def selects(sides)
        compare(sides, ids: Array.new(1000) { |number| Accounts.id(number, ROWS) }) do |comparison|
          comparison.rates(runs: @runs, seconds: SECONDS)
        end
      end

      # @param sides [Hash{String => Isolated}] of "pg_rows" or "trunkline_rows"
      # @return [Hash{String => Hash}] see {Comparison#measure}
      def rows(sides)
        compare(sides) { |comparison| comparison.measure(runs: @runs) }
      end

      # @return [Isolated] selects by the pg gem, each thread over a connection of its own
      def pg(threads, uri: @server.uri) = Isolated.new("pg_selects", uri: uri, rows: ROWS, threads: threads)

      # @param kind [String] of callers: fiber or thread
      # @return [Isolated] selects by this client
      def trunkline(kind, callers, connections, uri: @server.uri)
        Isolated.new("trunkline_#{kind}_selects", uri: uri, rows: ROWS, callers: callers, connections: connections)
      end

      # @param peer [String] name of a file in peers/
      # @param options see {Isolated}
      # @return [Isolated] selects by another client
      def other(peer, **options) = Isolated.new(peer, uri: @server.uri, rows: ROWS, **options)

      # @param options see {PgbenchPipelines}
      # @return [PgbenchPipelines] selects by pgbench
      def pgbench(**options) = PgbenchPipelines.new(@server, rows: ROWS, **options)

      # @param rows [Hash{String => Hash}] see {#rows}
      # @return [Table]
      def rows_table(rows, title: "#{Resources::ROWS} rows, every value a Ruby object of its type")
        cells = rows.map do |side, result|
          [side, format("%.3f", result[:wall]), format("%.3f", result[:cpu]), result[:objects].round / Resources::ROWS]
        end
        Table.new(["side", "wall s", "CPU s", "objects/row"], cells, title: title)
      end

      private

      def compare(sides, **answers)
        comparison = Comparison.new(@server, sides)
        comparison.check(**answers)
        yield comparison
      ensure
        comparison&.close
      end
    end
  end
end
