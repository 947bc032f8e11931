# frozen_string_literal: true

# COPY of rows as Arrays of values, into a table and out of it, beside the pg gem with its coders of rows, and psql's \copy.

require_relative "support/bench"
require_relative "support/data/copied_rows"

module Trunkline
  module Bench
    # Each side in a process of its own, one direction after the other.
    class CopyRows
      CHECKED = 5000

      # @param rows [Integer]
      def initialize(options, rows)
        @options = options
        @rows = rows
        @server = PostgresServer.start(settings: { "shared_buffers" => "256MB", "max_wal_size" => "4GB" })
      end

      def run
        CopiedRows.fill(@server)
        results = %w[in out].to_h { |direction| [direction, measure(direction)] }
        Results.new("copy", @options, Versions.all(@server)).publish([table(results), ratios(results)], { results: results })
      end

      private

      def measure(direction)
        clients = { "pg" => peer("pg_copy", direction), "Trunkline" => peer("trunkline_copy", direction) }
        Comparison.new(@server, clients).check(rows: CHECKED)
        clients.fetch("Trunkline").call(:answers, rows: @rows) # the table's rows, for those who read them
        sides = clients.merge("psql" => peer("psql_copy", direction))
        runs = Array.new(@options.runs) { sides.transform_values { |side| side.call(:measure, rows: @rows) } }
        sides.keys.to_h { |name| [name, %i[wall cpu].to_h { |key| [key, runs.filter_map { |run| run[name][key] }.then { |found| Measure.median(found) if found.any? }] }] }
      end

      def peer(name, direction) = Isolated.new(name, uri: @server.uri, direction: direction)

      def table(results)
        rows = results.flat_map do |direction, sides|
          sides.map { |name, one| ["#{direction}, #{name}", format("%.2f", one[:wall]), one[:cpu] ? format("%.2f", one[:cpu] / @rows * 1_000_000) : ""] }
        end
        Table.new(["", "wall s", "client CPU us a row"], rows, title: "#{@rows} rows of six columns")
      end

      def ratios(results)
        rows = results.flat_map do |direction, sides|
          ours = sides["Trunkline"]
          [["#{direction}, client CPU a row: pg", format("%.2f", ours[:cpu] / sides["pg"][:cpu]), "0.67"],
           ["#{direction}, wall: psql", format("%.2f", ours[:wall] / sides["psql"][:wall]), "1.05"]]
        end
        Table.new(%w[ratio measured at\ most], rows, title: "Ratios")
      end
    end
  end
end

Trunkline::Bench.main do
  rows = 500_000
  options = Trunkline::Bench::Options.parse(ARGV, banner: "Usage: bin/bench copy [options]", runs: 3) do |parser|
    parser.on("--rows=N", Integer, "rows (500000)") { |number| rows = number }
  end
  Trunkline::Bench::CopyRows.new(options, rows).run
end
