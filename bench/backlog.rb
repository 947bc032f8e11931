# frozen_string_literal: true

# Long queries beside short ones over few connections: how long the short ones take, how many connections the long ones get, how
# long a single query takes beside another caller's many; and how long the choice of a connection takes.

require_relative "support/bench"
require_relative "support/beside_long_ones"
require_relative "support/data/mixture"

module Trunkline
  module Bench
    # Each part in processes of its own.
    class Backlog < AccountsExperiment
      CONNECTIONS = BesideLongOnes::CONNECTIONS
      LONG = 0.05                        # seconds that a long one sleeps
      BUSY = [0.6, 2.5].freeze           # connections that the long ones keep busy
      REPORT = 0.005                     # seconds of processor that a report takes
      REPORTS = 250                      # a second
      SLEEPERS = 512
      SLEEP = 0.01
      SECONDS = 4
      AMONG = [8, 512].freeze # connections that one is chosen of

      def run
        beside = [waiting, reports]
        sleeping = sleepers
        choices = choosing
        publish([*beside.map(&:table), sleepers_table(sleeping), choices_table(choices)],
                { beside: beside.map(&:rows), sleepers: sleeping, choosing: choices },
                figures: [*figures(*beside, sleeping, **neighbours), *choices_figures(choices)])
      end

      private

      def settings = { "max_connections" => 1100, **Mixture::SETTINGS }

      def waiting
        beside("#{BesideLongOnes::SHORT_RATE} short queries a second beside long ones that wait for #{(LONG * 1000).round} ms",
               beside: [BesideLongOnes::LEAST], long: ["SELECT pg_sleep($1::float8)", LONG], rates: BUSY.map { |busy| (busy / LONG).round })
      end

      def reports
        beside("The same beside reports, of #{(REPORT * 1000).round} ms of the server's processor",
               beside: [BesideLongOnes::LEAST, BesideLongOnes::APART], long: [Mixture::COUNTING, Mixture.new(@server).fill.counted_in(REPORT)], rates: [REPORTS])
      end

      def beside(title, **long) = BesideLongOnes.new(title, **long, runs: @options.runs, uri: @server.uri, rows: ROWS)

      def with_peer(most)
        peer = asker("trunkline_backlog", connections: CONNECTIONS, max_connections: most)
        yield peer
      ensure
        peer.close
      end

      # @return [Hash{String => Hash}] each side's median run
      def sleepers
        runs = Array.new(@options.runs) { sleepers_once }
        runs.first.to_h { |side, _| [side, runs.map { |run| run[side] }.sort_by { |result| result[:rate] }[runs.size / 2]] }
      end

      def sleepers_once
        pg = peer("pg_sleepers", callers: SLEEPERS)
        theirs = pg.call(:sleepers, seconds: SECONDS, sleep: SLEEP)
        pg.close
        ours = with_peer(SLEEPERS + 1) { |peer| peer.call(:sleepers, callers: SLEEPERS, seconds: SECONDS, sleep: SLEEP) }
        { "pg, #{SLEEPERS} connections" => theirs, "Trunkline, max_connections #{SLEEPERS + 1}" => ours }
      end

      def neighbours
        { opened: with_peer(SLEEPERS) { |peer| peer.call(:opened_by, callers: SLEEPERS, each: 50) },
          single: with_peer(CONNECTIONS) { |peer| peer.call(:beside, many: 10_000, times: 5) } }
      end

      # @return [Hash{Integer => Hash{Symbol => Float}}] us in each state of so many connections
      def choosing
        chooser = peer("choosing")
        AMONG.to_h { |among| [among, Measure.medians(Array.new(@options.runs) { chooser.call(:measure, among: among) })] }
      ensure
        chooser&.close
      end

      def choices_table(choices)
        rows = choices.values.first.keys.map { |state| [state.to_s, *choices.values.map { |choice| format("%.2f", choice[state]) }] }
        Table.new(["connections are", *AMONG.map { |among| "among #{among}, us" }], rows, title: "Choosing a connection for a query")
      end

      def choices_figures(choices)
        few, many = AMONG.map { |among| choices[among].values.max }
        [figure("choosing a connection among #{AMONG.first}, at most, us", few, "<= 0.5"),
         figure("choosing among #{AMONG.last}: among #{AMONG.first}", many / few)]
      end

      def sleepers_table(sides)
        rows = sides.map { |side, result| [side, result[:rate].round, format("%.1f", result[:warm_up]), result[:opened] || SLEEPERS] }
        Table.new(["side", "sleeps/s", "warm-up s", "connections opened"], rows, title: "#{SLEEPERS} callers of pg_sleep(#{SLEEP})")
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(waiting, reports, sleeping, opened:, single:)
        pg, ours = sleeping.values
        [
          figure("short p99 beside long ones that wait, ms", waiting.slowest_short, "<= 2"),
          figure("the long ones' p95: where the fewest are in flight, at most", waiting.long_ratio(BesideLongOnes::LEAST), "<= 1.5"),
          figure("short p99 beside reports, ms", reports.slowest_short, "<= 2"),
          figure("the same: where reports have two connections of their own, at most", reports.short_ratio(BesideLongOnes::APART)),
          figure("#{SLEEPERS} callers of pg_sleep, sleeps/s: pg", ours[:rate] / pg[:rate], ">= 0.9"),
          figure("the same, seconds to warm up", ours[:warm_up]),
          figure("connections opened for primary-key selects of #{SLEEPERS} callers", opened, "<= #{CONNECTIONS}"),
          figure("a single query beside a caller with 10,000, at most, ms", single * 1000, "<= 5")
        ]
      end
    end
  end
end

Trunkline::Bench::Backlog.main(runs: 3)
