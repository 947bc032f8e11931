# frozen_string_literal: true

# Long queries beside short ones over few connections: what the short ones suffer, how many connections the long ones get, and
# what one caller's many queries do to another's single one.

require_relative "support/bench"

module Trunkline
  module Bench
    # The same arrivals for each number of connections.
    class Backlog
      ROWS = 100_000
      CONNECTIONS = 4
      MOST = [4, 32].freeze           # max_connections; one is kept for transactions
      SHORT_RATE = 3000               # a second
      LONG = 0.05                     # seconds
      BUSY = [0.6, 1.2, 1.5, 2.5].freeze # connections that the long ones keep busy
      SECONDS = 4
      SLEEPERS = 512
      SLEEP = 0.01
      SETTINGS = { "max_connections" => 1100, **Accounts::SETTINGS }.freeze

      def initialize(options)
        @options = options
        @server = PostgresServer.start(settings: SETTINGS)
      end

      def run
        Accounts.fill(@server, ROWS)
        beside = MOST.product(BUSY).map { |most, busy| { most: most, busy: busy, **mixture(most, busy) } }
        sleeping = sleepers
        others = neighbours
        Results.new("backlog", @options, Versions.all(@server))
               .publish([beside_table(beside), sleepers_table(sleeping), others_table(others)],
                        { beside: beside, sleepers: sleeping, others: others })
      end

      private

      def mixture(most, busy)
        runs = Array.new(@options.runs) { with_peer(most) { |peer| percentiles(peer.call(:measure, arrivals: arrivals(busy))[:result]) } }
        runs.first.keys.to_h { |key| [key, Measure.median(runs.map { |run| run[key] })] }
      end

      # Poisson's, from one seed.
      def arrivals(busy)
        random = Random.new(7)
        [*times(random, SHORT_RATE).map { |at| [at, 0.0] }, *times(random, busy / LONG).map { |at| [at, LONG] }].sort
      end

      def times(random, rate)
        at = 0
        times = []
        times << at while (at -= Math.log(1 - random.rand) / rate) < SECONDS
        times
      end

      def percentiles(took)
        short, long = took.values_at(:short, :long).map { |times| times.sort.map { |time| time * 1000 } }
        { short_p50: at(short, 0.5), short_p99: at(short, 0.99), long_p50: at(long, 0.5), long_p95: at(long, 0.95) }
      end

      def at(sorted, part) = sorted[[(sorted.size * part).to_i, sorted.size - 1].min]

      def with_peer(most, connections: CONNECTIONS)
        peer = Isolated.new("trunkline_backlog", uri: @server.uri, rows: ROWS, connections: connections, max_connections: most)
        yield peer
      ensure
        peer.close
      end

      def sleepers
        pg = Isolated.new("pg_sleepers", uri: @server.uri, callers: SLEEPERS)
        theirs = pg.call(:sleepers, seconds: SECONDS * 2, sleep: SLEEP)
        pg.close
        ours = with_peer(SLEEPERS + 1) { |peer| peer.call(:sleepers, callers: SLEEPERS, seconds: SECONDS * 2, sleep: SLEEP) }
        { "pg, #{SLEEPERS} connections" => theirs, "Trunkline, max_connections #{SLEEPERS + 1}" => ours }
      end

      def neighbours
        { opened: with_peer(SLEEPERS) { |peer| peer.call(:opened_by, callers: SLEEPERS, each: 50) },
          beside: with_peer(CONNECTIONS) { |peer| peer.call(:beside, many: 10_000, times: 5) } }
      end

      def beside_table(rows)
        headers = ["max_connections", "kept busy by long ones", "short p50 ms", "short p99 ms", "long p50 ms", "long p95 ms"]
        cells = rows.map { |row| [row[:most], row[:busy], *row.values_at(:short_p50, :short_p99, :long_p50, :long_p95).map { |time| format("%.2f", time) }] }
        Table.new(headers, cells, title: "#{SHORT_RATE} short queries a second beside long ones of #{(LONG * 1000).round} ms")
      end

      def sleepers_table(sides)
        rows = sides.map { |side, result| [side, result[:rate].round, format("%.1f", result[:warm_up]), result[:opened] || SLEEPERS] }
        Table.new(["side", "sleeps/s", "warm-up s", "connections opened"], rows, title: "#{SLEEPERS} callers of pg_sleep(#{SLEEP})")
      end

      def others_table(others)
        rows = [["connections opened for primary-key selects of #{SLEEPERS} callers", others[:opened]],
                ["a single query beside a caller with 10,000, at most", format("%.2f ms", others[:beside] * 1000)]]
        Table.new(%w[what measured], rows, title: "Callers beside each other")
      end
    end

    main do
      Backlog.new(Options.parse(ARGV, banner: "usage: bin/bench backlog [options]")).run
    end
  end
end
