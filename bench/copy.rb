# frozen_string_literal: true

# COPY of rows as Arrays of values, into a table and out of it, beside the pg gem with its coders of rows, and psql's \copy.

require_relative "support/bench"
require_relative "support/data/copied_rows"

module Trunkline
  module Bench
    # Each side in a process of its own, one direction after the other.
    class CopyRows < Experiment
      CHECKED = 5000

      def initialize(options)
        super
        @rows = options.numbers[:rows]
      end

      def run
        results = %w[in out].to_h { |direction| [direction, measure(direction)] }
        publish([table(results)], { results: results }, figures: figures(results))
      end

      private

      def settings = { "shared_buffers" => "256MB", "max_wal_size" => "4GB" }

      def fill = CopiedRows.fill(@server)

      def measure(direction)
        clients = { "pg" => peer("pg_copy", direction: direction), "Trunkline" => peer("trunkline_copy", direction: direction) }
        Comparison.new(@server, clients).check(rows: CHECKED)
        clients.fetch("Trunkline").call(:answers, rows: @rows) # the table's rows, for callers that read them
        sides = clients.merge("psql" => peer("psql_copy", direction: direction))
        runs = Array.new(@options.runs) { sides.transform_values { |side| side.call(:measure, rows: @rows) } }
        sides.keys.to_h { |name| [name, %i[wall cpu].to_h { |key| [key, runs.filter_map { |run| run[name][key] }.then { |found| Measure.median(found) if found.any? }] }] }
      end

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

Trunkline::Bench::CopyRows.main(runs: 3, numbers: { rows: [500_000, "rows"] })
