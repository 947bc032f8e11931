# frozen_string_literal: true

# How long a notification takes, from before it is sent to the listener's own code, while others in the listener's process ask short
# queries at an even pace; beside the pg gem's wait_for_notify.

require_relative "support/bench"
require_relative "support/notified_load"

module Trunkline
  module Bench
    # Each side in a process of its own, with threads and with fibers.
    class Notify
      include Figures

      KINDS = %w[threads fibers].freeze
      ROWS = 100_000
      CHECKED = 500 # notifications that are compared
      RATE = 250 # notifications a second
      HEADERS = ["side", "p50 us", "p99 us", "max us", "queries meanwhile", "client CPU s", "connections"].freeze

      def initialize(options)
        @options = options
        @count = options.numbers[:count]
        @server = PostgresServer.start(settings: Accounts::SETTINGS)
      end

      def run
        Accounts.fill(@server, ROWS)
        comparison = Comparison.new(@server, sides)
        comparison.check(count: CHECKED, rate: RATE)
        results = comparison.measure(runs: @options.runs) { { count: @count, rate: RATE } }
        Results.new("notify", @options, Versions.all(@server)).publish([table(results), figures_table(figures(results))], { results: results, figures: figures(results) })
      ensure
        comparison&.close
      end

      private

      def sides
        KINDS.flat_map { |kind| [["pg, #{kind}", peer("pg_notifications", kind)], ["Trunkline, #{kind}", peer("trunkline_notifications", kind)]] }.to_h
      end

      def peer(name, kind) = Isolated.new(name, uri: @server.uri, kind: kind, rows: ROWS)

      def table(results)
        rows = results.map do |side, one|
          [side, *one.values_at(:p50, :p99, :max).map { |seconds| (seconds * 1_000_000).round }, one[:asked], one[:cpu].round(2), one[:connections]]
        end
        Table.new(HEADERS, rows, title: "#{@count} notifications, #{RATE} a second, beside #{NotifiedLoad::CALLERS} callers who ask", drawn: HEADERS[2])
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(results)
        KINDS.map { |kind| figure("#{kind}, p99: pg", results["Trunkline, #{kind}"][:p99] / results["pg, #{kind}"][:p99], "<= 1.5") }
      end
    end
  end
end

Trunkline::Bench.main do
  options = Trunkline::Bench::Options.parse(ARGV, banner: "Usage: bin/bench notify [options]", runs: 3, numbers: { count: [2000, "notifications of each run"] })
  Trunkline::Bench::Notify.new(options).run
end
