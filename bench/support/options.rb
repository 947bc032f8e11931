# frozen_string_literal: true

require "optparse"

module Trunkline
  module Bench
    # What every bench takes on its command line.
    Options = Struct.new(:arguments, :json, :save, :runs, :numbers, keyword_init: true) do
      # @param arguments [Array<String>] the command line
      # @param banner [String] first line of the help
      # @param runs [Integer, nil] how often each measurement is made, unless the command line says otherwise; nil: once, always
      # @param numbers [Hash{Symbol => Array(Integer, String)}] options of the bench's own, such as `rows: [500_000, "rows of the table"]`:
      #   what each is unless the command line says otherwise, and what it means
      # @yieldparam parser [OptionParser] for other options of the bench's own
      # @return [Options] `arguments` are those that are not options; `numbers` a Hash of Integers
      def self.parse(arguments, banner: "Usage: bin/bench #{Bench.program} [options]", runs: 1, numbers: {})
        options = new(json: false, save: false, runs: runs, numbers: numbers.transform_values(&:first))
        parser = OptionParser.new(banner) do |known|
          known.on("--json", "print one JSON object and nothing else") { options.json = true }
          known.on("--save", "keep the tables in bench/results") { options.save = true }
          known.on("--runs=N", Integer, "medians of N runs (#{runs})") { |number| options.runs = [number, 1].max } if runs
          numbers.each { |name, (usual, words)| known.on("--#{name}=N", Integer, "#{words} (#{usual})") { |number| options.numbers[name] = number } }
          yield known if block_given?
        end
        options.arguments = parser.parse(arguments)
        options
      rescue OptionParser::ParseError => error
        abort "#{error.message}\n#{parser}"
      end
    end
  end
end
