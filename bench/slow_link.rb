# frozen_string_literal: true

# Selects by primary key over a link that adds some milliseconds to each round trip: how many queries many callers send together, and how
# many round trips a query of a single caller takes.

require_relative "support/bench"

module Trunkline
  module Bench
    # Each delay has a proxy of its own, and so has none: a proxy takes time on these processors too.
    class SlowLink < AccountsExperiment
      FIBERS = 1000
      CONNECTIONS = 4
      DELAYS = [0, 1, 5, 20].freeze # ms
      TRIPS = 50                    # queries of a single caller
      ONE = "one caller"
      UNPREPARED = "one caller, nothing prepared"
      COUNTING = "answers counted only"
      HEADERS = ["added ms", "queries/s", "client CPU us/query", "#{COUNTING}, queries/s", "could be", "part", "#{ONE}, ms/query",
                 "#{UNPREPARED}, ms/query"].freeze

      def run
        rows = DELAYS.map { |delay| { delay: delay, **over_link(delay) } }
        rows.each { |row| row[:possible] = [rows.first[:rate], FIBERS * 1000 / row[:one]].min }
        publish([table(rows)], { rows: rows }, figures: figures(*rows))
      end

      private

      def over_link(delay)
        link = Isolated.new("slow_link", port: @server.port, delay: delay / 1000.0)
        uri = "postgresql://postgres@127.0.0.1:#{link.call(:port)}/postgres"
        { **many(uri), one: single(uri), unprepared: single(uri, prepare: false) }
      ensure
        link.close
      end

      # @return [Hash] rate, cpu_each and others; counting: the rate of the least that a client can do
      def many(uri)
        counting = asker("counting_pipelines", callers: FIBERS, connections: CONNECTIONS, uri: uri)
        both = selects({ FIBERS => callers("fiber", FIBERS, CONNECTIONS, uri: uri), COUNTING => counting }, answers: 100)
        { **both.fetch(FIBERS), counting: both.fetch(COUNTING)[:rate] }
      end

      # @return [Float] ms that a query takes
      def single(uri, **options)
        peer = callers("thread", 1, 1, uri: uri, **options)
        times = Array.new(@options.runs + 1) { peer.call(:measure, count: TRIPS)[:wall] / TRIPS * 1000 }
        Measure.median(times.drop(1))
      ensure
        peer&.close
      end

      def callers(kind, callers, connections, **options)
        asker("trunkline_#{kind}_selects", callers: callers, connections: connections, **options)
      end

      def table(rows)
        cells = rows.map do |row|
          [row[:delay], row[:rate].round, row[:cpu_each].round(1), row[:counting].round, row[:possible].round, part(row).round(2), row[:one].round(2), row[:unprepared].round(2)]
        end
        Table.new(HEADERS, cells, title: "#{FIBERS} fibers over #{CONNECTIONS} connections, and one caller")
      end

      def part(row) = row[:rate] / row[:possible]

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(local, *slow)
        slow.flat_map do |row|
          trips = ->(key) { (row[key] - local[key]) / row[:delay] }
          [figure("#{row[:delay]} ms: queries/s of what could be", part(row), ">= 0.8"),
           figure("the same, of one that counts answers only", row[:rate] / row[:counting]), figure("the same, #{ONE}: round trips a query", trips[:one], "1"),
           figure("the same, #{UNPREPARED}", trips[:unprepared], "1")]
        end
      end
    end
  end
end

Trunkline::Bench::SlowLink.main
