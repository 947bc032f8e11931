# frozen_string_literal: true

require "tempfile"
require_relative "data/accounts"

module Trunkline
  module Bench
    # pgbench as a side of a Comparison: prepared selects by primary key, sent in pipelines by one thread.
    # It is C without a language around it, and throws the answers away.
    class PgbenchPipelines
      CLIENTS = 4
      private_constant :CLIENTS

      # @param depth [Integer] queries of one pipeline
      # @param syncs [Boolean] whether each has a Sync of its own, or all share one
      # @param options of {PostgresServer#pgbench}
      def initialize(server, rows:, depth:, syncs: false, **options)
        @server = server
        @depth = depth
        @options = options
        @script = Tempfile.new(["pipeline", ".sql"], server.socket_directory)
        @script.write(Accounts.pipeline_script(rows, depth, syncs: syncs))
        @script.close
      end

      # @return [String] application_name of its sessions
      def session_name = "pgbench"

      # Whether it can say what it got.
      def answers? = false

      # @param method [Symbol] :measure, the only one
      # @return [Hash] as {Measure.run}, without objects; and connections, which are gone by now
      def call(method, count:)
        raise ArgumentError, "pgbench cannot #{method}" unless method == :measure

        transactions = (count / CLIENTS / @depth).clamp(1..)
        cpu = children_cpu
        output = @server.pgbench("-n", "-M", "prepared", "-c", CLIENTS.to_s, "-j", "1", "-t", transactions.to_s, "-f", @script.path, **@options)
        made = transactions * CLIENTS
        { wall: made / output[/^tps = ([\d.]+)/, 1].to_f, cpu: children_cpu - cpu, result: made * @depth, connections: CLIENTS }
      end

      def close = @script.unlink

      private

      def children_cpu = Process.times.then { |times| times.cutime + times.cstime }
    end
  end
end
