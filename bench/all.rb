# frozen_string_literal: true

# Every bench, one after the other, and one page of all they say: bench/results/report.html opens without a network.

require "json"
require "open3"
require "rbconfig"
require_relative "support/bench"
require_relative "support/machine"
require_relative "support/progress"
require_relative "support/report"

module Trunkline
  module Bench
    # Each bench in a process of its own, saving its own tables too. One that fails does not keep the others from the page.
    class All
      NAMES = Dir[File.join(__dir__, "*.rb")].sort.map { |path| File.basename(path, ".rb") } - %w[all]
      PAGE = File.join(Results::FOLDER, "report.html")

      def initialize(arguments)
        @names = Options.parse(arguments, banner: "Usage: bin/bench all [NAME...]").arguments
        @names = NAMES if @names.empty?
        unknown = @names - NAMES
        abort "there is no bench of the name #{unknown.join(", ")}; there are: #{NAMES.join(", ")}" if unknown.any?
      end

      def run
        started = Measure.now
        failed = @names.reject { |name| add(name) }
        report.write(PAGE, footer: "#{Machine.line}. #{((Measure.now - started) / 60).round} minutes.")
        puts "Charts: #{PAGE}"
        abort "failed: #{failed.join(", ")}" if failed.any?
      end

      private

      def report = @report ||= Report.new("Trunkline, measured")

      # @return [Boolean] whether it could be run
      def add(name)
        started = Measure.now
        result, log = result(name)
        result ? show(name, result) : report.section(name).text("failed: #{log.lines.last}")
        warn format("%-12s %4d s%s", name, Measure.now - started, ("  failed:\n#{log}" unless result))
        !result.nil?
      end

      # @return [Array(Hash, String)] what it found, if it came so far, and what it printed beside that
      def result(name)
        output, log, status = Open3.capture3(RbConfig.ruby, File.join(__dir__, "#{name}.rb"), "--json", "--save")
        [(JSON.parse(output, symbolize_names: true) if status.success?), log]
      end

      def show(name, result)
        report.section(name)
        result[:curves].each { |title, curves| report.lines(title.to_s, curves) }
        result[:tables].each { |table| report.table(Table.from(table)) }
        report.text("Medians of #{result[:runs]}. #{result[:versions].map { |what, version| "#{what} #{version}" }.join(", ")}.")
      end
    end
  end
end

Trunkline::Bench.main { Trunkline::Bench::All.new(ARGV).run }
