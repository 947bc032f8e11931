# frozen_string_literal: true

require_relative "isolated"
require_relative "measure"
require_relative "table"

module Trunkline
  module Bench
    # Short queries and long ones, which come by chance, and the same for others: where each query goes to the connection with the fewest in
    # flight, or where long ones have connections of their own.
    class BesideLongOnes
      CONNECTIONS = 4
      MOST = [4, 32].freeze # max_connections
      SHORT_RATE = 3000     # a second
      SECONDS = 3
      OURS = "Trunkline"
      LEAST = "least in flight"
      APART = "long ones apart"
      PEERS = { OURS => "trunkline_backlog", LEAST => "least_in_flight_backlog", APART => "apart_backlog" }.freeze
      HEADERS = ["max_connections", "long ones a second", "side", "short p50 ms", "short p99 ms", "long p50 ms", "long p95 ms"].freeze
      private_constant :SECONDS, :OURS, :PEERS, :HEADERS

      # @return [Array<Hash>] a row for each number of connections, rate and side: most, rate, side, and short_p50 and the like in ms
      attr_reader :rows

      # @param title [String]
      # @param long [Array(String, Numeric)] the long ones' SQL and its parameter
      # @param rates [Array<Numeric>] of long ones, a second
      # @param beside [Array<String>] the other sides
      # @param runs [Integer] each with other times at which they come
      # @param peer options of the sides
      def initialize(title, long:, rates:, beside:, runs:, **peer)
        @title = title
        @long = long
        @runs = runs
        @peer = peer
        @rows = MOST.product(rates, [OURS, *beside]).map { |most, rate, side| { most: most, rate: rate, side: side, **medians(most, rate, side) } }
      end

      # @return [Float] the longest p99 of short ones, ms
      def slowest_short = of(OURS).map { |row| row[:short_p99] }.max

      # @return [Float] how many times as long the short ones' p99 is as on another side, at most
      def short_ratio(side) = ratio(side, :short_p99)

      # @return [Float] the same for the long ones' p95
      def long_ratio(side) = ratio(side, :long_p95)

      # @return [Table]
      def table
        cells = rows.map { |row| [*row.values_at(:most, :rate, :side), *row.values_at(:short_p50, :short_p99, :long_p50, :long_p95).map { |time| format("%.2f", time) }] }
        Table.new(HEADERS, cells, title: @title)
      end

      private

      def ratio(side, figure) = of(OURS).zip(of(side)).map { |ours, theirs| ours[figure] / theirs[figure] }.max
      def of(side) = rows.select { |row| row[:side] == side }

      def medians(most, rate, side)
        Measure.medians(Array.new(@runs) { |run| percentiles(run(most, arrivals(rate, run), PEERS.fetch(side))) })
      end

      def run(most, arrivals, name)
        peer = Isolated.new(name, connections: CONNECTIONS, max_connections: most, **@peer)
        peer.call(:measure, arrivals: arrivals, long: @long)[:result]
      ensure
        peer.close
      end

      # Poisson's, the same for all sides.
      def arrivals(rate, run)
        random = Random.new(7 + run)
        [*times(random, SHORT_RATE).map { |at| [at, 0] }, *times(random, rate).map { |at| [at, @long.last] }].sort
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
    end
  end
end
