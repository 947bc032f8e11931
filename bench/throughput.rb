# frozen_string_literal: true

# How much one process gets through: selects by primary key from many and from few callers, and a whole table,
# beside the pg gem and pgbench.

require_relative "support/bench"
require_relative "support/pgbench_pipelines"
require_relative "support/selects_and_rows"

module Trunkline
  module Bench
    # The sides are told apart by their names, which are the tables' first column too.
    class Throughput
      include Figures

      FIBERS = "Trunkline, 1000 fibers"
      THREADS = "Trunkline, 16 threads"
      CALLER = "Trunkline, 1 caller"
      PG_THREADS = "pg, 16 threads"
      PG_CALLER = "pg, 1 caller"
      PGBENCH = "pgbench, pipelines of 10"
      PG_TABLE = "pg"
      TABLE = "Trunkline"

      def initialize(options)
        @options = options
        @server = PostgresServer.start(settings: Accounts::SETTINGS)
      end

      def run
        @work = SelectsAndRows.new(@server, runs: @options.runs)
        selects = @work.selects(sides)
        rows = @work.rows(PG_TABLE => Isolated.new("pg_rows", uri: @server.uri), TABLE => Isolated.new("trunkline_rows", uri: @server.uri))
        figures = figures(selects, rows)
        Results.new("throughput", @options, Versions.all(@server))
               .publish([SelectsTable.of(selects), @work.rows_table(rows), figures_table(figures)],
                        { selects: selects, rows: rows, figures: figures })
      end

      private

      def sides
        { PG_THREADS => @work.pg(16), FIBERS => @work.trunkline("fiber", 1000, 4), PGBENCH => @work.pgbench(depth: 10),
          THREADS => @work.trunkline("thread", 16, 4), PG_CALLER => @work.pg(1), CALLER => @work.trunkline("thread", 1, 1) }
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(selects, rows)
        [
          figure("1000 fibers over 4 connections, q/s: pg with 16 threads", ratio(selects, :rate, FIBERS, PG_THREADS), ">= 4"),
          figure("the same: pgbench in pipelines of 10", ratio(selects, :rate, FIBERS, PGBENCH), ">= 0.45"),
          figure("the same, client CPU us a query", selects[FIBERS][:cpu_each], "<= 3.5"),
          figure("the same, objects a query", selects[FIBERS][:objects_each], "<= 6"),
          figure("16 threads over 4 connections, q/s: pg over 16", ratio(selects, :rate, THREADS, PG_THREADS), ">= 1.5"),
          figure("a single caller, client CPU a query: pg", ratio(selects, :cpu_each, CALLER, PG_CALLER), "<= 1"),
          figure("80,000 rows of typed values, wall: pg", ratio(rows, :wall, TABLE, PG_TABLE), "<= 0.9")
        ]
      end

      def ratio(results, key, side, other) = results[side][key] / results[other][key].to_f
    end
  end
end

Trunkline::Bench.main do
  options = Trunkline::Bench::Options.parse(ARGV, banner: "Usage: bin/bench throughput [options]", runs: 3)
  Trunkline::Bench::Throughput.new(options).run
end
