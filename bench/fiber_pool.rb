# frozen_string_literal: true

# What the size of a fiber pool does to time and memory, beside a task of Async's for every block.

require_relative "support/bench"

module Trunkline
  module Bench
    # Each size in a process of its own.
    class FiberPools < AccountsExperiment
      SIZES = [10, 20, 50, 100, 200, 500, 1000].freeze
      ASYNC = "task.async"
      EMPTY = 100_000 # blocks
      BLOCKS = 10_000 # of three queries each

      def run
        check
        results = sides.map { |side, size| [side, measure(size)] }
        publish([table(results)], { sizes: results.to_h })
      end

      private

      def sides = SIZES.to_h { |size| ["FiberPool.new(#{size})", size] }.merge(ASYNC => nil)

      def work(size) = asker("fiber_pool_work", size: size)

      def check
        comparing(sides.transform_values { |size| work(size) }, ids: ids(2000)) { nil }
      end

      def measure(size)
        peer = work(size)
        empty = Array.new(@options.runs) { peer.call(:empty, count: EMPTY)[:wall] }
        queries = Array.new(@options.runs) { peer.call(:queries, count: BLOCKS) }
        { empty_us: Measure.median(empty) / EMPTY * 1_000_000, wall: Measure.median(queries.map { |one| one[:wall] }),
          cpu: Measure.median(queries.map { |one| one[:cpu] }), resident: queries.map { |one| one[:resident] }.max / 1024.0 }
      ensure
        peer&.close
      end

      def table(results)
        rows = results.map do |side, result|
          [side, format("%.2f", result[:empty_us]), format("%.2f", result[:wall]), format("%.2f", result[:cpu]), format("%.0f", result[:resident])]
        end
        Table.new(["fibers", "empty block us", "#{BLOCKS} blocks of 3 queries s", "CPU s", "resident MiB"], rows,
                  title: "#{EMPTY} empty blocks, and blocks of queries over 4 connections", drawn: "empty block us")
      end
    end
  end
end

Trunkline::Bench::FiberPools.main(runs: 3)
