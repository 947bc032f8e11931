# frozen_string_literal: true

# What a deadline on every query costs, where none passes: selects by primary key of 1000 fibers over four connections.

require_relative "support/bench"

module Trunkline
  module Bench
    # The same without, and with deadlines given in three places.
    class Deadlines
      ROWS = 100_000
      SECONDS = 2 # of each side's run
      WHERE = { "db.with(deadline:)" => "client", "deadline: of each call" => "call", "Trunkline.deadline { } around each" => "block" }.freeze

      def initialize(options)
        @options = options
        @server = PostgresServer.start(settings: Accounts::SETTINGS)
      end

      def run
        Accounts.fill(@server, ROWS)
        comparison = Comparison.new(@server, sides)
        comparison.check(ids: Array.new(1000) { |number| Accounts.id(number, ROWS) })
        rates = comparison.rates(runs: @options.runs, seconds: SECONDS)
        Results.new("deadlines", @options, Versions.all(@server)).publish([SelectsTable.of(rates)], { selects: rates })
      ensure
        comparison&.close
      end

      private

      def sides
        { "no deadline" => peer("trunkline_fiber_selects") }
          .merge(WHERE.transform_values { |how| peer("trunkline_deadline_selects", how: how) })
      end

      def peer(name, **options) = Isolated.new(name, uri: @server.uri, rows: ROWS, callers: 1000, connections: 4, **options)
    end

    main do
      Deadlines.new(Options.parse(ARGV, banner: "usage: bin/bench deadlines [options]", runs: 3)).run
    end
  end
end
