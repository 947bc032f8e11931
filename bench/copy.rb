# frozen_string_literal: true

# COPY of rows as Arrays of values, into a table and out of it, beside the pg gem with its coders of rows, and psql's \copy.

require_relative "support/bench"
require_relative "support/data/copied_rows"

module Trunkline
  module Bench
    # Each side in a process of its own, one direction after the other.
    class CopyRows
      include Figures

      CHECKED = 5000

      def initialize(options)
        @options = options
        @rows = options.numbers[:rows]
        @server = PostgresServer.start(settings: { "shared_buffers" => "256MB", "max_wal_size" => "4GB" })
      end

      def run
        CopiedRows.fill(@server)
        results = %w[in out].to_h { |direction| [direction, measure(direction)] }
        figures = figures(results)
        Results.new("copy", @options, Versions.all(@server)).publish([table(results), figures_table(figures)], { results: results, figures: figures })
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

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(results)
        results.flat_map do |direction, sides|
          ours = sides["Trunkline"]
          [figure("#{direction}, client CPU a row: pg", ours[:cpu] / sides["pg"][:cpu], "<= 0.67"),
           figure("#{direction}, wall: psql", ours[:wall] / sides["psql"][:wall], "<= 1.05")]
        end
      end
    end
  end
end

Trunkline::Bench.main do
  options = Trunkline::Bench::Options.parse(ARGV, banner: "Usage: bin/bench copy [options]", runs: 3, numbers: { rows: [500_000, "rows"] })
  Trunkline::Bench::CopyRows.new(options).run
end
