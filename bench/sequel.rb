# frozen_string_literal: true

# Sequel over this client, beside Sequel over the pg gem with sequel_pg: selects by primary key, prepared and as datasets that hold
# their values, from threads and fibers; and a whole table.

require_relative "support/bench"
require_relative "support/selects_and_rows"

module Trunkline
  module Bench
    # The sides are told apart by their names, which are the tables' first column too.
    class SequelAdapters < SelectsAndRows
      PG = "sequel_pg, 16 threads over 16"
      THREADS = "Trunkline, 16 threads over 4"
      FIBERS = "Trunkline, 1000 fibers over 4"
      SIDES = { PG => ["postgres", "thread", 16, 16], THREADS => ["trunkline", "thread", 16, 4], FIBERS => ["trunkline", "fiber", 1000, 4] }.freeze
      WORK = %w[prepared dataset].freeze
      TABLE_WORK = %w[all select_map select_hash].freeze
      ADAPTERS = { "sequel_pg" => "postgres", "Trunkline" => "trunkline" }.freeze

      def run
        selects = WORK.to_h { |work| [work, selects(selecting(work))] }
        rows = TABLE_WORK.to_h { |work| [work, rows(fetching(work))] }
        publish(tables(selects, rows), { selects: selects, rows: rows }, figures: figures(selects, rows))
      end

      private

      def selecting(work)
        SIDES.transform_values do |adapter, kind, callers, connections|
          asker("sequel_selects", adapter: adapter, kind: kind, callers: callers, connections: connections, work: work)
        end
      end

      def fetching(work) = ADAPTERS.transform_values { |adapter| peer("sequel_rows", adapter: adapter, work: work) }

      def versions = super.merge(%w[sequel sequel_pg].to_h { |name| [name, Bundler.load.specs[name].first.version.to_s] })

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(selects, rows)
        WORK.flat_map do |work|
          fibers, threads = selects[work].values_at(FIBERS, PG)
          [figure("#{work}: 1000 fibers over 4 connections, q/s: sequel_pg with 16 threads", fibers[:rate] / threads[:rate], ">= 1.3"),
           figure("#{work}: the same, client CPU a query", fibers[:cpu_each] / threads[:cpu_each], "<= 0.8")]
        end + TABLE_WORK.map { |work| figure("#{work}: rows a second: sequel_pg", rows[work]["sequel_pg"][:wall] / rows[work]["Trunkline"][:wall], ">= 1.0") }
      end

      def tables(selects, rows)
        selects.map { |work, rates| SelectsTable.of(rates, title: "Selects by primary key, #{work}") } +
          rows.map { |work, results| rows_table(results, title: "#{Resources::ROWS} rows, #{work}") }
      end
    end
  end
end

Trunkline::Bench::SequelAdapters.main(runs: 3)
