# frozen_string_literal: true

# How long a notification takes, from before it is sent to the listener's own code, while others in the listener's process send short
# queries at an even rate; beside the pg gem's wait_for_notify.

require_relative "support/bench"
require_relative "support/notified_load"

module Trunkline
  module Bench
    # Each side in a process of its own, with threads and with fibers.
    class Notify < AccountsExperiment
      KINDS = %w[threads fibers].freeze
      CHECKED = 500 # notifications that are compared
      RATE = 250 # notifications a second
      HEADERS = ["side", "p50 us", "p99 us", "max us", "queries meanwhile", "client CPU s", "connections"].freeze

      def initialize(options)
        super
        @count = options.numbers[:count]
      end

      def run
        results = comparing(sides, count: CHECKED, rate: RATE) do |comparison|
          comparison.measure(runs: @options.runs) { { count: @count, rate: RATE } }
        end
        publish([table(results)], { results: results }, figures: figures(results))
      end

      private

      def sides
        KINDS.flat_map do |kind|
          [["pg, #{kind}", asker("pg_notifications", kind: kind)], ["Trunkline, #{kind}", asker("trunkline_notifications", kind: kind)]]
        end.to_h
      end

      def table(results)
        rows = results.map do |side, one|
          [side, *one.values_at(:p50, :p99, :max).map { |seconds| (seconds * 1_000_000).round }, one[:asked], one[:cpu].round(2), one[:connections]]
        end
        Table.new(HEADERS, rows, title: "#{@count} notifications, #{RATE} a second, beside #{NotifiedLoad::CALLERS} callers with queries", drawn: HEADERS[2])
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(results)
        KINDS.map { |kind| figure("#{kind}, p99: pg", results["Trunkline, #{kind}"][:p99] / results["pg, #{kind}"][:p99], "<= 1.5") }
      end
    end
  end
end

Trunkline::Bench::Notify.main(runs: 3, numbers: { count: [2000, "notifications of each run"] })
