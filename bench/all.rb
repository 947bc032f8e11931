# frozen_string_literal: true

# Every bench, one after the other, and one page of all they say: bench/results/report.html opens without a network.

require_relative "support/bench"
require_relative "support/bench_run"
require_relative "support/machine"
require_relative "support/report"

module Trunkline
  module Bench
    # The page is written anew after each bench, so what was measured stays, whatever happens to the next. One that fails is named
    # on the page and at the end, and keeps the tables it had saved before.
    class All
      NAMES = Dir[File.join(__dir__, "*.rb")].sort.map { |path| File.basename(path, ".rb") } - %w[all]
      PAGE = File.join(Results::FOLDER, "report.html")
      # Of some a whole run asks for less than they do by themselves, so that it takes no more than three quarters of an hour.
      LESS = { "falcon" => %w[--save --seconds=3], "memcached" => %w[--save --operations=30000], "streaming" => %w[--save --times=40] }.freeze
      private_constant :NAMES, :PAGE, :LESS

      # @param arguments [Array<String>] the command line
      def initialize(arguments)
        @options = Options.parse(arguments, banner: "Usage: bin/bench all [NAME...] [options]", runs: nil)
        @names = @options.arguments.empty? ? NAMES : @options.arguments
        unknown = @names - NAMES
        abort "there is no bench of the name #{unknown.join(", ")}; there are: #{NAMES.join(", ")}" if unknown.any?
      end

      def run
        started = Measure.now
        report = Report.new("Trunkline, measured").text("#{Machine.line}. #{Time.now.strftime("%F")}.")
        failed = @names.reject { |name| add(report, bench(name)).tap { report.write(PAGE, footer: minutes(started)) } }
        puts "Charts: #{PAGE}"
        abort "failed: #{failed.join(", ")}" if failed.any?
      end

      private

      def bench(name)
        BenchRun.new(File.join(__dir__, "#{name}.rb"), arguments: [*LESS.fetch(name, %w[--save]), *(@options.runs && "--runs=#{@options.runs}")])
      end

      def minutes(started) = "Measured in #{((Measure.now - started) / 60).round} minutes."

      # @return [Boolean] whether it could be run
      def add(report, bench)
        result = bench.result
        warn format("%-12s %4d s%s", bench.name, bench.seconds, ("  failed: #{bench.failure}" unless result))
        report.section(bench.name).text(bench.purpose)
        result ? show(report, result) : report.text("failed: #{bench.failure}")
        !result.nil?
      end

      def show(report, result)
        result[:curves].each { |title, curves| report.lines(title.to_s, curves) }
        result[:tables].each { |table| report.table(Table.from(table)) }
        report.text("Medians of #{result[:runs]}. #{result[:versions].map { |what, version| "#{what} #{version}" }.join(", ")}.")
      end
    end
  end
end

Trunkline::Bench.main { Trunkline::Bench::All.new(ARGV).run }
