# frozen_string_literal: true

# 80,000 rows of many types as Ruby values, beside the pg gem with its decoders.

require_relative "support/bench"
require_relative "support/data/typed_values"

module Trunkline
  module Bench
    # The pg gem may have as many connections as it likes.
    class Types
      TRUNKLINE = "Trunkline, 1 connection"
      PG_CONNECTIONS = [1, 4, 20].freeze
      HEADERS = ["side", "wall ms", "CPU ms", "objects", "wall of pg's best", "CPU of pg's best"].freeze

      def initialize(options)
        @options = options
        @server = PostgresServer.start
      end

      def run
        TypedValues.fill(@server)
        comparison = Comparison.new(@server, sides)
        comparison.check
        comparison.measure(runs: 1) # warms up
        results = comparison.measure(runs: @options.runs)
        Results.new("types", @options, Versions.all(@server)).publish([table(results)], results)
      ensure
        comparison&.close
      end

      private

      def sides
        pgs = PG_CONNECTIONS.to_h { |count| ["pg, #{count} connection#{"s" if count > 1}", Isolated.new("pg_typed_rows", uri: @server.uri, connections: count)] }
        { **pgs, TRUNKLINE => Isolated.new("trunkline_typed_rows", uri: @server.uri) }
      end

      def table(results)
        best = %i[wall cpu].to_h { |figure| [figure, results.except(TRUNKLINE).values.map { |result| result[figure] }.min] }
        rows = results.map do |side, result|
          [side, *result.values_at(:wall, :cpu).map { |seconds| (seconds * 1000).round }, result[:objects].round,
           *%i[wall cpu].map { |figure| format("%.2fx", result[figure] / best[figure]) }]
        end
        Table.new(HEADERS, rows, title: "#{TypedValues::ROWS} rows of 16 columns", drawn: HEADERS[1])
      end
    end

    main do
      Types.new(Options.parse(ARGV, banner: "usage: bin/bench types [options]", runs: 3)).run
    end
  end
end
