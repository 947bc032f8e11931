# frozen_string_literal: true

# Every bench, one after the other, and one page of all results: bench/results/report.html opens without a network.

require_relative "support/bench"
require_relative "support/bench_run"
require_relative "support/measure"
require_relative "support/results_page"

module Trunkline
  module Bench
    # The page is written anew after each bench, from what is saved: so what was measured stays, whatever happens to the next. One that fails is
    # named at the end, and keeps the tables it had saved before.
    class All
      NAMES = Dir[File.join(__dir__, "*.rb")].sort.map { |path| File.basename(path, ".rb") } - %w[all]
      ROUNDS = 5
      # Of those that take longest, a whole run does less than they do by themselves.
      LESS = {
        "falcon" => %w[--seconds=2], "given_up" => %w[--seconds=3], "graphql" => %w[--seconds=1], "memcached" => %w[--operations=10000], "rage" => %w[--seconds=1],
        "rails" => %w[--seconds=1], "streaming" => %w[--times=10]
      }.freeze
      SEEDED = %w[policy].freeze # a round there is a seed of simulated traffic, of which it needs more
      ONCE = %w[column_check failover fleet pipelined replicas].freeze # they count what repeats, or take the time that servers take
      private_constant :NAMES, :ROUNDS, :LESS, :SEEDED, :ONCE

      # @param arguments [Array<String>] the command line
      def initialize(arguments)
        @options = Options.parse(arguments, banner: "Usage: bin/bench all [NAME...] [options]", runs: ROUNDS)
        @names = @options.arguments.empty? ? NAMES : @options.arguments
        unknown = @names - NAMES
        abort "there is no bench of the name #{unknown.join(", ")}; there are: #{NAMES.join(", ")}" if unknown.any?
      end

      def run
        failed = @names.reject { |name| run_one(bench(name)).tap { [MissedFigures, ResultsPage].each { |page| page.new.write } } }
        puts "Charts: #{ResultsPage::PATH}"
        abort "failed: #{failed.join(", ")}" if failed.any?
      end

      private

      def bench(name)
        rounds = "--runs=#{@options.runs}" unless [*SEEDED, *ONCE].include?(name)
        BenchRun.new(File.join(__dir__, "#{name}.rb"), arguments: ["--save", *LESS[name], *rounds])
      end

      # @return [Boolean] whether it could be run
      def run_one(bench)
        result = bench.result
        warn format("%-12s %4d s%s", bench.name, bench.seconds, ("  failed: #{bench.failure}" unless result))
        !result.nil?
      end
    end
  end
end

Trunkline::Bench.main { Trunkline::Bench::All.new(ARGV).run }
