# frozen_string_literal: true

# How many queries one process sends: selects by primary key from many and from few callers, and a whole table,
# beside the pg gem and pgbench.

require_relative "support/bench"
require_relative "support/selects_and_rows"

module Trunkline
  module Bench
    # The sides are told apart by their names, which are the tables' first column too.
    class Throughput < SelectsAndRows
      FIBERS = "Trunkline, 1000 fibers"
      THREADS = "Trunkline, 16 threads"
      CALLER = "Trunkline, 1 caller"
      PG_THREADS = "pg, 16 threads"
      PG_CALLER = "pg, 1 caller"
      PGBENCH = "pgbench, pipelines of 10"
      PG_TABLE = "pg"
      TABLE = "Trunkline"

      def run
        selects = selects(sides)
        rows = rows(PG_TABLE => peer("pg_rows"), TABLE => peer("trunkline_rows"))
        publish([SelectsTable.of(selects), rows_table(rows)], { selects: selects, rows: rows }, figures: figures(selects, rows))
      end

      private

      def sides
        { PG_THREADS => pg(16), FIBERS => trunkline("fiber", 1000, 4), PGBENCH => pgbench(depth: 10),
          THREADS => trunkline("thread", 16, 4), PG_CALLER => pg(1), CALLER => trunkline("thread", 1, 1) }
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

Trunkline::Bench::Throughput.main(runs: 3)
