# frozen_string_literal: true

# 80,000 rows of many types as Ruby values, beside the pg gem with its decoders.

require_relative "support/bench"
require_relative "support/data/typed_values"

module Trunkline
  module Bench
    # The pg gem may have as many connections as it likes.
    class Types < Experiment
      TRUNKLINE = "Trunkline, 1 connection"
      PG_CONNECTIONS = [1, 4, 20].freeze
      HEADERS = ["side", "wall ms", "CPU ms", "objects", "wall of pg's best", "CPU of pg's best"].freeze

      def run
        results = comparing(sides) do |comparison|
          comparison.measure(runs: 1) # warms up
          comparison.measure(runs: @options.runs)
        end
        publish([table(results)], { sides: results }, figures: figures(results))
      end

      private

      def fill = TypedValues.fill(@server)

      def sides
        pgs = PG_CONNECTIONS.to_h { |count| ["pg, #{count} connection#{"s" if count > 1}", peer("pg_typed_rows", connections: count)] }
        { **pgs, TRUNKLINE => peer("trunkline_typed_rows") }
      end

      # @return [Hash{Symbol => Float}] the least that pg takes
      def best(results)
        %i[wall cpu].to_h { |key| [key, results.except(TRUNKLINE).values.map { |result| result[key] }.min] }
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(results)
        best(results).map { |key, least| figure("#{key}: pg's best", results[TRUNKLINE][key] / least, "<= 0.9") }
      end

      def table(results)
        best = best(results)
        rows = results.map do |side, result|
          [side, *result.values_at(:wall, :cpu).map { |seconds| (seconds * 1000).round }, result[:objects].round,
           *best.map { |key, least| format("%.2fx", result[key] / least) }]
        end
        Table.new(HEADERS, rows, title: "#{TypedValues::ROWS} rows of 16 columns", drawn: HEADERS[1])
      end
    end
  end
end

Trunkline::Bench::Types.main(runs: 3)
