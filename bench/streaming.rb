# frozen_string_literal: true

# The first 5,000 rows of a table with much text, streamed A times by B callers at once, each of which then resets its connection
# or ends the statement; and what it takes to stream a gibibyte.

require_relative "support/bench"
require_relative "support/side_by_side"
require_relative "support/times_table"

module Trunkline
  module Bench
    # Each side in a process of its own.
    class Streaming < Experiment
      ROWS = 5000
      GIBIBYTE = 1 << 30
      SIDES = { "pg, rows one by one, reset" => { mode: "single_row", ending: "reset" }, "pg, chunks of 1000, reset" => { mode: "chunked", ending: "reset" },
                "pg, chunks of 1000, cancelled" => { mode: "chunked", ending: "cancel" } }.freeze
      CHUNKED = SIDES.keys.grep(/chunks/).freeze

      def initialize(options)
        super
        @times = options.numbers[:times]
      end

      def run
        check
        times = TimesTable.measure(plans, sides, runs: @options.runs)
        memory = peer("stream_memory").call(:measure, bytes: GIBIBYTE)
        publish([TimesTable.of(times, title: "#{@times} times #{ROWS} rows, seconds"), memory_table(memory)], { times: times, memory: memory },
                figures: figures(times, memory))
      end

      private

      def settings = { "shared_buffers" => "256MB", "max_connections" => "250" }

      def fill = Resources.fill(@server)

      def sides
        @sides ||= { **SIDES.transform_values { |how| peer("pg_streams", **how) }, "Trunkline" => peer("trunkline_streams") }
      end

      def plans
        (SideBySide::KINDS - ["blocking"]).flat_map do |kind|
          [1, 5, 10, 20, 40].map { |callers| plan(kind, [@times / callers, 1].max, callers) }
        end.to_h
      end

      def plan(kind, times, callers) = ["#{kind} #{times}x#{callers}", { kind: kind, times: times, callers: callers, rows: ROWS }]

      def check
        Comparison.agree(sides.transform_values { |side| side.call(:answers, rows: ROWS) })
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(times, memory)
        cpu = sides.keys.to_h { |side| [side, times.values.sum { |one| one[side][:user] + one[side][:system] }] }
        [figure("CPU of all streams: pg's best by chunks", cpu["Trunkline"] / cpu.values_at(*CHUNKED).min, "<= 1"),
         figure("a gibibyte: MiB more of memory, at most", (memory[:peak] - memory[:before]) / 1024.0, "<= 20")]
      end

      def memory_table(memory)
        rows = { "streamed, MiB" => memory[:bytes] >> 20, "seconds" => memory[:wall].round(1), "CPU seconds" => memory[:cpu].round(1),
                 "resident before, MiB" => memory[:before] / 1024, "at most, MiB" => memory[:peak] / 1024 }
        Table.new(["", ""], rows.to_a, title: "A gibibyte, streamed by Trunkline")
      end
    end
  end
end

Trunkline::Bench::Streaming.main(numbers: { times: [400, "streams of each plan"] })
