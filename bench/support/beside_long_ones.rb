# frozen_string_literal: true

require_relative "isolated"
require_relative "measure"
require_relative "table"

module Trunkline
  module Bench
    # Short queries at an even rate beside long ones that come by chance, and the same where each query goes to the connection
    # with the fewest in flight.
    class BesideLongOnes
      CONNECTIONS = 4
      MOST = [4, 32].freeze # max_connections
      SHORT_RATE = 3000     # a second
      SECONDS = 4
      SIDES = { "Trunkline" => "trunkline_backlog", "least in flight" => "least_in_flight_backlog" }.freeze
      HEADERS = ["max_connections", "long ones a second", "side", "short p50 ms", "short p99 ms", "long p50 ms", "long p95 ms"].freeze
      private_constant :SECONDS, :SIDES, :HEADERS

      # @return [Array<Hash>] a row for each number of connections, rate and side: most, rate, side, and short_p50 and the like in ms
      attr_reader :rows

      # @param title [String]
      # @param long [Array(String, Numeric)] the long ones' SQL and its parameter
      # @param rates [Array<Numeric>] of long ones, a second
      # @param runs [Integer]
      # @param peer options of the sides
      def initialize(title, long:, rates:, runs:, **peer)
        @title = title
        @long = long
        @runs = runs
        @peer = peer
        @rows = MOST.product(rates, SIDES.keys).map { |most, rate, side| { most: most, rate: rate, side: side, **medians(most, rate, side) } }
      end

      # @return [Float] the longest p99 of short ones, ms
      def slowest_short = of("Trunkline").map { |row| row[:short_p99] }.max

      # @return [Float] how much longer the long ones' p95 is than where the fewest are in flight, at most
      def longest_ratio = of("Trunkline").zip(of("least in flight")).map { |ours, theirs| ours[:long_p95] / theirs[:long_p95] }.max

      # @return [Table]
      def table
        cells = rows.map { |row| [*row.values_at(:most, :rate, :side), *row.values_at(:short_p50, :short_p99, :long_p50, :long_p95).map { |time| format("%.2f", time) }] }
        Table.new(HEADERS, cells, title: @title)
      end

      private

      def of(side) = rows.select { |row| row[:side] == side }

      def medians(most, rate, side)
        Measure.medians(Array.new(@runs) { percentiles(run(most, arrivals(rate), SIDES.fetch(side))) })
      end

      def run(most, arrivals, name)
        peer = Isolated.new(name, connections: CONNECTIONS, max_connections: most, **@peer)
        peer.call(:measure, arrivals: arrivals, long: @long)[:result]
      ensure
        peer.close
      end

      # Poisson's, from one seed.
      def arrivals(rate)
        random = Random.new(7)
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
