# frozen_string_literal: true

require_relative "isolated"
require_relative "measure"
require_relative "server_cpu"

module Trunkline
  module Bench
    # Several sides doing the same work, each in a process of its own, in turns.
    #
    #   comparison = Comparison.new(server, "pg" => Isolated.new("pg_rows", uri: uri), "Trunkline" => ...)
    #   comparison.check                       # both must say the same
    #   comparison.measure(runs: 3)            # => { "pg" => { wall: 0.5, cpu: 0.4, ... }, ... }, medians
    class Comparison
      WARM_UP = 20_000 # queries
      private_constant :WARM_UP

      # @param answers [Hash{String => Object}] by the side's name
      # @raise [RuntimeError] two sides answer differently: then their times mean nothing
      def self.agree(answers)
        return if answers.values.uniq.one?

        raise "the sides do not return the same: #{answers.transform_values { |answer| answer.inspect[0, 200] }}"
      end

      # @param server [PostgresServer]
      # @param sides [Hash{String => Isolated}]
      def initialize(server, sides)
        @server = server
        @sides = sides
      end

      # @param arguments of the peers' `answers`
      # @raise [RuntimeError] see {agree}
      def check(**arguments)
        self.class.agree(@sides.select { |_, peer| peer.answers? }.transform_values { |peer| peer.call(:answers, **arguments) })
      end

      # @param runs [Integer]
      # @return [Hash{String => Hash}] medians: wall, cpu, server_cpu (seconds), objects, result, connections
      def measure(runs:, &arguments)
        arguments ||= proc { {} }
        results = Array.new(runs) { @sides.to_h { |name, peer| [name, once(peer, arguments.call(name))] } }
        @sides.to_h { |name, _| [name, Measure.medians(results.map { |result| result.fetch(name) })] }
      end

      # As {#measure}, with as many queries for each side as take it about so long.
      # @param seconds [Numeric]
      # @return [Hash{String => Hash}] with rate (queries a second), cpu_each, server_cpu_each (microseconds) and objects_each
      def rates(runs:, seconds:)
        counts = @sides.transform_values do |peer|
          warm = peer.call(:measure, count: WARM_UP)
          (warm[:result] / warm[:wall] * seconds).ceil(-3)
        end
        measure(runs: runs) { |name| { count: counts.fetch(name) } }.transform_values { |result| per_query(result) }
      end

      # Ends the sides' processes.
      def close = @sides.each_value(&:close)

      private

      def once(peer, arguments)
        before = ServerCpu.seconds(@server.pid)
        result = peer.call(:measure, **arguments)
        after = ServerCpu.seconds(@server.pid)
        { connections: connections(peer), **(before ? { server_cpu: after - before } : {}), **result }
      end

      def connections(peer)
        @server.psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = '#{peer.session_name}'").to_i
      end

      def per_query(result)
        count = result[:result].to_f
        { **result, rate: count / result[:wall], cpu_each: micro(result[:cpu], count),
          server_cpu_each: micro(result[:server_cpu], count), objects_each: result[:objects]&./(count) }
      end

      def micro(seconds, count) = seconds && (seconds / count * 1_000_000)
    end
  end
end
