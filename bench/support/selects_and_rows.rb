# frozen_string_literal: true

require_relative "accounts_experiment"
require_relative "pgbench_pipelines"
require_relative "table"
require_relative "data/resources"

module Trunkline
  module Bench
    # The two kinds of work that clients are compared by: selects by primary key from many callers, and one whole table.
    class SelectsAndRows < AccountsExperiment
      ROWS = 1_000_000

      private

      def fill
        super
        Resources.fill(@server)
      end

      # @param sides [Hash{String => Isolated}] of "pg_rows" or "trunkline_rows"
      # @return [Hash{String => Hash}] see {Comparison#measure}
      def rows(sides)
        comparing(sides) { |comparison| comparison.measure(runs: @options.runs) }
      end

      # @return [Isolated] selects by the pg gem, each thread over a connection of its own
      def pg(threads, **uri) = asker("pg_selects", threads: threads, **uri)

      # @param kind [String] of callers: fiber or thread
      # @return [Isolated] selects by this client
      def trunkline(kind, callers, connections, **uri)
        asker("trunkline_#{kind}_selects", callers: callers, connections: connections, **uri)
      end

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
    end
  end
end
