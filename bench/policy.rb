# frozen_string_literal: true

# How many long queries run at once beside short ones: the limit on simulated traffic, on a simulated clock, by loads and seeds.
# The results are the same on every machine.

require "async"
require "trunkline"
require_relative "support/bench"
require_relative "../test/support/simulated_traffic"

module Trunkline
  module Bench
    # Each load with so many seeds; of each figure the median of the seeds and the worst.
    class Policy
      FAST = 0.00005    # seconds of a processor that a short query takes
      SHORT_RATE = 2000 # a second
      SEEDS = 8
      STATEMENT = Requests::STATEMENT
      HEADERS = ["load", "short p99 ms", "long p50 ms", "long p95 ms", "allowed"].freeze

      # rate: long queries a second. seconds: of a processor for the first kind, of waiting for the second. spread: of these. warm_up, run:
      # seconds. slower: how many times as long each takes after half of the warm-up.
      Load = Struct.new(:kind, :rate, :seconds, :spread, :most, :processors, :warm_up, :run, :slower, keyword_init: true) do
        def to_s
          size = spread == :decade ? "#{ms}-#{ms * 10}" : ms
          ["#{kind} #{size} ms", (spread if spread == :exponential), "#{rate}/s", ("#{processors} processor" if processors == 1),
           ("#{slower} times as long from then on" if slower), ("at first" if warm_up.zero?)].compact.join(", ")
        end

        # @return [Array(Float, Float)] seconds of a processor, and of waiting
        def work(random, times)
          took = times * case spread
                         when :exponential then -Math.log(1 - random.rand) * seconds
                         when :decade then seconds * (10**random.rand)
                         else seconds
                         end
          kind == "CPU" ? [took, 0] : [0, took]
        end

        private

        def ms = (seconds * 1000).round
      end

      CPU = { kind: "CPU", seconds: 0.005, most: 32, processors: 2, warm_up: 0.5, run: 3 }.freeze
      WAITS = { kind: "waits", seconds: 0.02, most: 64, processors: 2, warm_up: 1, run: 2 }.freeze
      LOADS = [
        *[250, 330, 380, 600].map { |rate| { **CPU, rate: rate } },
        { **CPU, rate: 330, spread: :exponential },
        { **CPU, rate: 160, processors: 1 },
        { **WAITS, rate: 300, spread: :exponential },
        { **WAITS, rate: 300, seconds: 0.005, spread: :decade },
        { **WAITS, rate: 200, seconds: 0.05 },
        { **WAITS, rate: 800 },
        { **WAITS, rate: 200, slower: 4, warm_up: 2 },
        { **WAITS, rate: 200, seconds: 0.05, warm_up: 0, run: 0.5 },
        *[250, 380].map { |rate| { **CPU, rate: rate, warm_up: 0, run: 0.5 } }
      ].map { |load| Load.new(**load) }.freeze
      private_constant :FAST, :SHORT_RATE, :SEEDS, :STATEMENT, :HEADERS, :Load, :CPU, :WAITS, :LOADS

      def self.main = Bench.main { new(Options.parse(ARGV, runs: SEEDS)).run }

      # @param options [Options] runs: seeds; arguments: parts of the names of loads, without any all of them
      def initialize(options)
        @options = options
        @loads = LOADS.select { |load| options.arguments.empty? || options.arguments.any? { |part| load.to_s.include?(part) } }
      end

      def run
        found = @loads.to_h { |load| [load.to_s, Array.new(@options.runs) { |seed| played(load, seed + 1) }] }
        rows = found.map { |load, runs| [load, *runs.transpose.map { |figures| median_and_worst(figures) }] }
        title = "Beside #{SHORT_RATE} short queries a second, #{@options.runs} seeds: median (worst)"
        Results.new(Bench.program, @options, Versions.all).publish([Table.new(HEADERS, rows, title: title)], { loads: found })
      end

      private

      # @return [Array<Float>] the figures in the order of HEADERS
      def played(load, seed)
        Clock.stop
        traffic = traffic(load, seed)
        traffic.run(load.run)
        [traffic.quantile(:short, 0.99), traffic.quantile(:long, 0.5), traffic.quantile(:long, 0.95)].map { |time| time * 1000 } + [traffic.dispatcher.allowed.to_f]
      ensure
        traffic&.close
        Clock.start
      end

      def traffic(load, seed)
        traffic = SimulatedTraffic.new(most: load.most, processors: load.processors, seed: seed)
        short = Array.new(4) { |number| STATEMENT.new("SELECT #{number}", number) }
        long = STATEMENT.new("SELECT sum(balance)", short.size)
        times = 1
        traffic.comes(:short, SHORT_RATE) { |random| [short[random.rand(4)], FAST, 0] }
        traffic.comes(:long, load.rate) { |random| [long, *load.work(random, times)] }
        traffic.run(load.warm_up / 2.0)
        times = load.slower || 1
        traffic.run(load.warm_up / 2.0)
        traffic
      end

      def median_and_worst(figures) = figures.sort.then { |sorted| format("%.2f (%.2f)", sorted[(sorted.size - 1) / 2], sorted.last) }
    end
  end
end

Trunkline::Bench::Policy.main
