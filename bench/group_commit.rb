# frozen_string_literal: true

# Durable writes of many callers over few connections: each with a commit of its own, and with commits that they share.

require_relative "support/bench"

module Trunkline
  module Bench
    # The server waits for its disk at each commit.
    class GroupCommit
      WRITERS = 64
      CONNECTIONS = 4
      ROWS = 5_000 # that are compared
      SECONDS = 3  # of each side's run
      SETTINGS = { "fsync" => "on", "synchronous_commit" => "on", "full_page_writes" => "on" }.freeze
      APART = "a commit each"
      TOGETHER = "group_commit: true"
      HEADERS = ["side", "writes/s", "of the first", "client CPU us/write", "server CPU us/write"].freeze

      def initialize(options)
        @options = options
        @server = PostgresServer.start(settings: SETTINGS)
      end

      def run
        @server.psql("CREATE TABLE written (side text, number int)")
        comparison = Comparison.new(@server, { APART => peer(false), TOGETHER => peer(true) })
        comparison.check(count: ROWS)
        results = comparison.measure(runs: @options.runs) { { seconds: SECONDS } }
        Results.new("group_commit", @options, Versions.all(@server)).publish([table(results)], results)
      ensure
        comparison&.close
      end

      private

      def peer(together)
        Isolated.new("trunkline_writes", uri: @server.uri, side: together ? "together" : "apart", writers: WRITERS,
                                         connections: CONNECTIONS, together: together)
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

    main do
      GroupCommit.new(Options.parse(ARGV, banner: "usage: bin/bench group_commit [options]", runs: 3)).run
    end
  end
end
