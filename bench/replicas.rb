# frozen_string_literal: true

# Reads of two standbys: what a slow one does to the reads of a fast one, how the reads are shared, what a read after a position costs and how often it is
# stale while the standbys replay at random moments, and what choosing a host takes.

require_relative "support/bench"
require_relative "support/replica_load"

module Trunkline
  module Bench
    # A primary and standbys of its own.
    class Replicas < Experiment
      DELAYS = [0.001, 0.005].freeze # seconds that a read takes on each played host
      CALLERS = [4, 64].freeze
      AMONG = [2, 8, 32].freeze

      def run
        played = in_turns { |load| CALLERS.to_h { |callers| [callers, load.played(callers)] } }
        real = ReplicaLoad.new(@server, @options.runs)
        figures = { **real.split, **real.costs, **real.stale(@options.numbers[:reads]) }
        choosing = AMONG.to_h { |among| [among, ReplicaLoad.choosing(among)] }
        publish([played_table(played), choosing_table(choosing)], { played: played, choosing: choosing, real: figures }, figures: promised(played, choosing, figures))
      ensure
        real&.discard
      end

      private

      def in_turns
        load = ReplicaLoad.new(@server, @options.runs, delays: DELAYS)
        yield load
      ensure
        load&.discard
      end

      def played_table(played)
        rows = played.flat_map do |callers, sides|
          sides.map { |side, one| [callers, side, one[:rate].round, *one.values_at(:p50, :p99).map { |seconds| format("%.2f", seconds * 1000) }, format("%.1f%%", one[:slow] * 100)] }
        end
        Table.new(["callers", "hosts", "reads/s", "p50 ms", "p99 ms", "share of the slow one"], rows, title: "Two hosts, one of which takes five times as long")
      end

      def choosing_table(choosing)
        Table.new(["hosts", "us"], choosing.map { |among, seconds| [among, format("%.2f", seconds * 1e6)] }, title: "Choosing a host for a read")
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def promised(played, choosing, real)
        few, many = played.values_at(*CALLERS)
        capacity = 1 / (1 + (DELAYS.last / DELAYS.first))
        [figure("#{CALLERS.first} callers, p99: the faster host alone", few["both"][:p99] / few["the faster alone"][:p99], "<= 1.2"),
         figure("#{CALLERS.last} callers, share of the slower host: of the capacity", many["both"][:slow] / capacity),
         figure("processor time of the first standby: of both", real[:split], "0.45-0.55"),
         figure("stale reads after a position", real[:stale], "<= 0"), figure("reads after a position, of standbys", real[:by_standbys]),
         figure("stale reads without one", real[:stale_without]),
         figure("a read after a position, us more", real[:guarded] * 1e6, "<= 40"),
         figure("choosing among #{AMONG.last} hosts, us", choosing[AMONG.last] * 1e6, "<= 0.5")]
      end
    end
  end
end

Trunkline::Bench::Replicas.main(runs: 3, numbers: { reads: [100_000, "reads after a position"] })
