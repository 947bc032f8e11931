# frozen_string_literal: true

require "etc"
require_relative "data/mixture"
require_relative "disk_load"
require_relative "isolated"

module Trunkline
  module Bench
    # The comparison of 2008: the same long and short queries from a caller that blocks on one connection, and from
    # fibers. Both sides live through the whole race, so that each row finds them equally warm.
    class MixtureRace
      CONNECTIONS = 12 # as then
      LONG = [10, 50, 100].freeze
      MULTIPLIERS = [2, 5, 10, 20, 50, 100].freeze
      KINDS = %i[cpu wait].freeze
      UNDER_LOAD = [50, 10].freeze # long queries and multiplier of the row with a busy disk
      PROBE = { long: CONNECTIONS, multiplier: 50 }.freeze
      SHORT_SECONDS = 0.000_06 # about; the probe corrects it
      private_constant :UNDER_LOAD, :PROBE, :SHORT_SECONDS

      # One row of the table. Times are seconds, advantage is the part of the blocking time that was saved, in percent.
      Row = Struct.new(:kind, :long, :multiplier, :loaded, :blocking, :fibers, :connections, keyword_init: true) do
        def short = long * multiplier

        def advantage = (1 - (fibers / blocking)) * 100

        def to_h = { **super, short: short, advantage: advantage }
      end

      # @param server [PostgresServer]
      def initialize(server)
        @server = server
        @mixture = Mixture.new(server).fill
        @blocking = Isolated.new("pg_mixture", uri: server.uri)
        @fibers = Isolated.new("trunkline_mixture", uri: server.uri, connections: CONNECTIONS)
        @slowness = KINDS.to_h { |kind| [kind, probe(kind)] }
      end

      # @param seconds [Numeric] how long all may take; the numbers of long queries are scaled down to fit
      # @return [Array<Row>] the document's rows for each kind, and one for each kind under disk load, not measured yet
      def whole_table(seconds)
        rows = KINDS.flat_map do |kind|
          [*MULTIPLIERS.product(LONG).map { |multiplier, long| row(kind, long, multiplier) }, row(kind, *UNDER_LOAD, loaded: true)]
        end
        scale = [seconds / rows.sum { |row| seconds_of(row) }, 1].min
        rows.each { |row| row.long = (row.long * scale).round.clamp(1..) }
      end

      # @return [Array<Row>] one row for each kind, and the same under disk load, not measured yet
      def single_rows(long, multiplier)
        [false, true].product(KINDS).map { |loaded, kind| row(kind, long, multiplier, loaded: loaded) }
      end

      # @param row [Row] gets its times
      # @return [Row]
      # @raise [RuntimeError] the sides' answers differ
      def run(row)
        row.loaded ? DiskLoad.during { measure(row) } : measure(row)
        row
      end

      # Ends the sides' processes.
      def close = [@blocking, @fibers].each(&:close)

      private

      def row(kind, long, multiplier, loaded: false)
        Row.new(kind: kind, long: long, multiplier: multiplier, loaded: loaded)
      end

      def measure(row)
        blocking, fibers = both(row.kind, long: row.long, multiplier: row.multiplier)
        row.blocking = blocking[:wall]
        row.fibers = fibers[:wall]
        row.connections = sessions
      end

      def both(kind, **counts)
        results = [@blocking, @fibers].map { |side| side.call(:measure, **counts, **@mixture.statements(kind)) }
        return results if results.map { |result| result[:result] }.uniq.one?

        raise "the two sides do not return the same: #{results}"
      end

      # Warms both sides up.
      # @return [Float] how much longer a row takes on this machine, as busy as it is now, than it should
      def probe(kind)
        row = row(kind, *PROBE.values)
        both(kind, **PROBE)
        both(kind, **PROBE).sum { |side| side[:wall] } / ideal_seconds(row)
      end

      def seconds_of(row) = ideal_seconds(row) * @slowness.fetch(row.kind) * (row.loaded ? 2 : 1)

      # @return [Float] seconds that both sides of a row should take together
      def ideal_seconds(row)
        at_once = row.kind == :cpu ? [Etc.nprocessors, CONNECTIONS].min : CONNECTIONS
        long = row.long * Mixture::LONG_SECONDS
        long + (long / at_once) + (2 * row.short * SHORT_SECONDS)
      end

      def sessions
        @server.psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = '#{@fibers.session_name}'").to_i
      end
    end
  end
end
