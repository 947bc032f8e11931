# frozen_string_literal: true

# Reads of two standbys: how a slow one affects the reads of a fast one, on a simulated clock, so the results are the same on every machine; how the reads
# are shared, what a read after a position costs and how often it is stale while the standbys replay at random moments, and how long the choice of a host takes.

require_relative "support/bench"
require_relative "support/replica_load"
require_relative "../test/support/simulated_replicas"

module Trunkline
  module Bench
    # A primary and standbys of its own.
    class Replicas < Experiment
      # Seconds of a processor, of which each played host has two, and of waiting, that a read takes there.
      PLAYED = { "compute" => [[0.001, 0], [0.005, 0]], "wait" => [[0, 0.001], [0, 0.005]] }.freeze
      # Loads: callers that ask again when they have their answer, or reads that come by chance, so many a second.
      LOADS = { callers: [4, 16, 64], comes: [1000, 1600, 1900] }.freeze
      FULL = ["compute", :callers, 64].freeze # both hosts have more than they can do
      UP_TO = 1600 # reads a second that the faster host has room for: of more the p99 is that of its line
      WARM_UP = 1000 # reads
      READS = 4000
      AMONG = [2, 8, 32].freeze

      def run
        played = playing
        real = ReplicaLoad.new(@server)
        figures = { **real.split, **real.costs, **real.stalls, **real.stale(@options.numbers[:reads]) }
        choosing = AMONG.to_h { |among| [among, ReplicaLoad.choosing(among)] }
        publish([played_table(played), stalls_table(figures), choosing_table(choosing)], { played: played, choosing: choosing, real: figures }, figures: promised(played, choosing, figures))
      ensure
        real&.discard
      end

      private

      # @return [Hash{Array => Hash}] by what hosts do, kind of load and its number: reads over the faster host alone, and over both
      def playing
        Clock.stop
        loads = LOADS.flat_map { |kind, numbers| numbers.map { |number| [kind, number] } }
        PLAYED.keys.product(loads).to_h do |work, (kind, number)|
          seconds = PLAYED.fetch(work)
          [[work, kind, number], { "the faster alone" => play(seconds.first(1), kind, number), "both" => play(seconds, kind, number) }]
        end
      ensure
        Clock.start
      end

      def play(seconds, kind, number)
        played = SimulatedReplicas.new(seconds.map(&:dup), most: 16)
        played.public_send(kind, number)
        played.answer(WARM_UP)
        played.answer(READS)
        { rate: played.rate, p50: played.quantile(0.5), p99: played.quantile(0.99), slow: seconds.size > 1 ? played.share(1) : 0 }
      ensure
        played&.close
      end

      def played_table(played)
        rows = played.flat_map do |(work, kind, number), sides|
          load = "#{number} #{kind == :callers ? "callers" : "a second"}, hosts that #{work}"
          sides.map { |side, one| [load, side, one[:rate].round, *one.values_at(:p50, :p99).map { |seconds| format("%.2f", seconds * 1000) }, format("%.1f%%", one[:slow] * 100)] }
        end
        Table.new(["reads", "hosts", "reads/s", "p50 ms", "p99 ms", "share of the slow one"], rows, title: "Two hosts that are played, where a read takes 1 ms and 5 ms")
      end

      # How many times the p99 of the faster one alone the p99 of both is, at worst: of loads that it has room for, and of callers that wait for each answer.
      def times_of_the_faster(played)
        played.reject { |(_, kind, number),| kind == :comes && number > UP_TO }.map { |_, sides| sides["both"][:p99] / sides["the faster alone"][:p99] }.max
      end

      def choosing_table(choosing)
        Table.new(["hosts", "us"], choosing.map { |among, seconds| [among, format("%.2f", seconds * 1e6)] }, title: "Choosing a host for a read")
      end

      def stalls_table(real)
        rows = { plain: "without hedge", hedged: "with hedge" }.map { |side, name| [name, real[:"rate_#{side}"].round, *%i[p99 p999].map { |part| format("%.2f", real[:"#{part}_#{side}"] * 1000) }] }
        Table.new(["8 callers", "reads/s", "p99 ms", "p99.9 ms"], rows, title: "Reads of two standbys, of which one takes 50 ms for one of 250, as many as the client can send")
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def promised(played, choosing, real)
        [figure("p99 of both hosts: the faster alone, at worst", times_of_the_faster(played), "<= 1.2"),
         figure("share of the slower host, both full: of the capacity", played.fetch(FULL)["both"][:slow] * 6, "0.9-1.1"),
         figure("processor time of the first standby: of both", real[:split], "0.45-0.55"),
         figure("reads that were sent a second time", real[:second], "<= 0.02"),
         figure("stale reads after a position", real[:stale], "<= 0"), figure("reads after a position, of standbys", real[:by_standbys]),
         figure("stale reads without one", real[:stale_without]),
         figure("a read after a position, us more", real[:guarded] * 1e6, "<= 40"), figure("a read with hedge that is not late, us more", real[:hedging] * 1e6),
         figure("choosing among #{AMONG.last} hosts, us", choosing[AMONG.last] * 1e6, "<= 0.5")]
      end
    end
  end
end

Trunkline::Bench::Replicas.main(runs: nil, numbers: { reads: [10_000, "reads after a position"] })
