# frozen_string_literal: true

# Durable writes of many callers over few connections: each with a commit of its own, and with commits that they share.

require_relative "support/bench"

module Trunkline
  module Bench
    # The server waits for its disk at each commit.
    class GroupCommit < Experiment
      WRITERS = 64
      CONNECTIONS = 4
      ROWS = 5_000 # that are compared
      SECONDS = 3  # of each side's run
      APART = "a commit each"
      TOGETHER = "group_commit: true"
      HEADERS = ["side", "writes/s", "of the first", "client CPU us/write", "server CPU us/write"].freeze

      def run
        results = comparing({ APART => writers(false), TOGETHER => writers(true) }, count: ROWS) do |comparison|
          comparison.measure(runs: @options.runs) { { seconds: SECONDS } }
        end
        gain = rate(results[TOGETHER]) / rate(results[APART])
        publish([table(results)], { sides: results }, figures: [figure("writes/s, #{TOGETHER}: #{APART}", gain, ">= 5")])
      end

      private

      def settings = { "fsync" => "on", "synchronous_commit" => "on", "full_page_writes" => "on" }

      def fill = @server.psql("CREATE TABLE written (side text, number int)")

      def writers(together)
        peer("trunkline_writes", side: together ? "together" : "apart", writers: WRITERS, connections: CONNECTIONS, together: together)
      end

      def table(results)
        first = rate(results.fetch(APART))
        rows = results.map do |side, result|
          [side, rate(result).round, format("%.1fx", rate(result) / first), *result.values_at(:cpu, :server_cpu).map { |cpu| cpu && micro(cpu, result) }]
        end
        Table.new(HEADERS, rows, title: "Inserts by #{WRITERS} fibers over #{CONNECTIONS} connections, fsync on", drawn: HEADERS[1])
      end

      def rate(result) = result[:result] / result[:wall]
      def micro(seconds, result) = (seconds / result[:result] * 1_000_000).round(1)
    end
  end
end

Trunkline::Bench::GroupCommit.main(runs: 3)
