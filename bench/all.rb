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
      # Of those that take longest, a whole run asks for less than they do by themselves.
      LESS = { "falcon" => %w[--save --seconds=3], "memcached" => %w[--save --operations=30000], "streaming" => %w[--save --times=40] }.freeze
      private_constant :NAMES, :LESS

      # @param arguments [Array<String>] the command line
      def initialize(arguments)
        @options = Options.parse(arguments, banner: "Usage: bin/bench all [NAME...] [options]", runs: nil)
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
        BenchRun.new(File.join(__dir__, "#{name}.rb"), arguments: [*LESS.fetch(name, %w[--save]), *(@options.runs && "--runs=#{@options.runs}")])
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
