# frozen_string_literal: true

# A statement that raises a hundred thousand notices, all passed to a block, beside the pg gem with a notice receiver: how long it takes,
# how much memory twice as many take, and how long another caller of the process waits meanwhile.

require_relative "support/bench"
require_relative "support/noticed_load"

module Trunkline
  module Bench
    # Each side in a process of its own.
    class Notices < Experiment
      CHECKED = 2000 # notices that are compared
      KINDS = %w[threads fibers].freeze
      KEPT = 64 << 20 # bytes, more than all of them have
      HEADERS = ["side", "wall s", "client CPU s", "told", "memory of twice as many, MiB", *KINDS.map { |kind| "longest wait, #{kind}, ms" }].freeze
      private_constant :CHECKED, :KINDS, :KEPT, :HEADERS

      def initialize(options)
        super
        @count = options.numbers[:count]
      end

      def run
        results = comparing(sides, count: CHECKED) do |comparison|
          measured = comparison.measure(runs: @options.runs) { { count: @count } }
          others = Array.new(@options.runs) { sides.transform_values { |side| beside(side) } }
          measured.to_h { |name, one| [name, { **one, **Measure.medians(others.map { |run| run.fetch(name) }) }] }
        end
        publish([table(results)], { results: results }, figures: figures(results))
      end

      private

      def fill = @server.psql(NoticedLoad::FUNCTION)

      def sides
        @sides ||= { "pg" => peer("pg_notices"), "Trunkline" => peer("trunkline_notices"), "Trunkline, all kept" => peer("trunkline_notices", max_unrequested: KEPT) }
      end

      def beside(side)
        { memory: side.call(:memory, count: 2 * @count), **KINDS.to_h { |kind| [kind.to_sym, side.call(:longest_wait, kind: kind, count: @count)] } }
      end

      def table(results)
        rows = results.map do |side, one|
          [side, *one.values_at(:wall, :cpu).map { |seconds| format("%.2f", seconds) }, one[:result].round, (one[:memory] / 1024.0 / 1024).round,
           *KINDS.map { |kind| (one[kind.to_sym] * 1000).round(1) }]
        end
        Table.new(HEADERS, rows, title: "#{@count} notices", drawn: HEADERS[1])
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(results)
        ours, theirs = results.values_at("Trunkline, all kept", "pg")
        [figure("wall: pg", ours[:wall] / theirs[:wall], "<= 1"), figure("client CPU: pg", ours[:cpu] / theirs[:cpu], "<= 1"),
         figure("twice as many, MiB of memory", results["Trunkline"][:memory] / 1024.0 / 1024, "<= 40"),
         *KINDS.map { |kind| figure("longest wait of another caller, #{kind}, ms", ours[kind.to_sym] * 1000, "<= 20") }]
      end
    end
  end
end

Trunkline::Bench::Notices.main(runs: 5, numbers: { count: [100_000, "notices of each run"] })
