# frozen_string_literal: true

# Web requests of which a third are stopped while the server works on their slow report, beside transactions that come eight at once: how
# long the other requests take, with those that are stopped and without, and what the server spends on reports that no request waits for.

require_relative "support/bench"
require_relative "support/abandoned_requests"

module Trunkline
  module Bench
    # Each side with at most so many connections, in a process of its own.
    class GivenUp < AccountsExperiment
      ROWS = 100_000
      CONNECTIONS = 16
      LOADS = { "without" => false, "with" => true }.freeze # requests that are stopped
      HEADERS = ["side", "stopped requests", "p50 ms", "p99 ms", "max ms", "not answered", "client CPU s", "server CPU s", "connections"].freeze
      private_constant :LOADS, :HEADERS

      def run
        turns = comparing(sides, ids: ids(20)) { |comparison| in_turns(comparison) }
        results = LOADS.to_h { |load, _| [load, medians(turns.map { |turn| turn.fetch(load) })] }
        publish([table(results)], { results: results }, figures: figures(results, turns))
      end

      private

      def fill
        super
        @server.psql(AbandonedRequests::TABLES)
      end

      # Both loads in each run, which are compared with each other: a machine that changes meanwhile changes both.
      def in_turns(comparison) = Array.new(@options.runs) { LOADS.transform_values { |stopped| once(comparison, stopped) } }

      def once(comparison, stopped) = comparison.measure(runs: 1) { { seconds: @options.numbers[:seconds], stopped: stopped } }

      def medians(results) = results.first.keys.to_h { |side| [side, Measure.medians(results.map { |result| result.fetch(side) })] }

      def sides
        {
          "pg behind a queue" => asker("pg_abandoned_requests", connections: CONNECTIONS),
          "Trunkline" => asker("trunkline_abandoned_requests", connections: CONNECTIONS),
          "ActiveRecord, pg" => active_record("postgresql", pool: CONNECTIONS),
          "ActiveRecord, Trunkline" => active_record("trunkline", pool: 1000, options: { server_connections: 4, max_server_connections: CONNECTIONS })
        }
      end

      def active_record(adapter, **options) = asker("active_record_abandoned_requests", adapter: adapter, **options)

      def table(results)
        rows = results["with"].keys.product(LOADS.keys).map { |side, load| row(side, load, results[load][side]) }
        Table.new(HEADERS, rows, title: "#{AbandonedRequests::CLIENTS} requests a second for #{@options.numbers[:seconds]} s")
      end

      def row(side, load, one)
        [side, load, *one.values_at(:p50, :p99, :max).map { |seconds| (seconds * 1000).round(1) }, one[:failed].round, one[:cpu].round(2),
         one[:server_cpu]&.round(2), one[:connections].round]
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(results, turns)
        ["Trunkline", "ActiveRecord, Trunkline"].flat_map { |side| figures_of(side, turns, *LOADS.keys.map { |load| results[load][side] }) }
      end

      def figures_of(side, turns, without, with)
        wasted = with[:server_cpu] && (with[:server_cpu] - without[:server_cpu])
        ratios = turns.map { |turn| turn["with"][side][:p99] / turn["without"][side][:p99] }
        [figure("#{side}, p99: without stopped requests", Measure.median(ratios), "<= 1.1"),
         (figure("#{side}, server CPU for stopped requests, s", wasted) if wasted)].compact
      end
    end
  end
end

Trunkline::Bench::GivenUp.main(runs: 5, numbers: { seconds: [5, "for which requests come"] })
