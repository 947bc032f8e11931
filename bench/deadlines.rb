# frozen_string_literal: true

# What a deadline on every query costs, where none passes: selects by primary key of 1000 fibers over four connections.

require_relative "support/bench"

module Trunkline
  module Bench
    # The same without, and with deadlines given in three places.
    class Deadlines < AccountsExperiment
      WHERE = { "db.with(deadline:)" => "client", "deadline: of each call" => "call", "Trunkline.deadline { } around each" => "block" }.freeze

      def run
        rates = selects(sides)
        publish([SelectsTable.of(rates)], { selects: rates })
      end

      private

      def sides
        { "no deadline" => fibers("trunkline_fiber_selects") }
          .merge(WHERE.transform_values { |how| fibers("trunkline_deadline_selects", how: how) })
      end

      def fibers(name, **options) = asker(name, callers: 1000, connections: 4, **options)
    end
  end
end

Trunkline::Bench::Deadlines.main(runs: 3)
