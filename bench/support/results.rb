# frozen_string_literal: true

require "fileutils"
require "json"
require_relative "table"
require_relative "versions"

module Trunkline
  module Bench
    # Where results go: the terminal, a JSON object, a file that is kept with the source.
    class Results
      FOLDER = File.expand_path("../results", __dir__)

      # @param name [String] of the bench
      # @param options [Options]
      # @param versions [Hash{String => String}] see {Versions}
      def initialize(name, options, versions)
        @name = name
        @options = options
        @versions = versions
      end

      # @param tables [Array<Table, String>] Strings, as plots, are for the terminal alone
      # @param figures [Hash] the same for machines
      # @param curves [Hash{String => Array<Hash>}] see {Report#lines}, by title
      def publish(tables, figures, curves: {})
        puts(@options.json ? json(tables.grep(Table), figures, curves) : [*tables, line].join("\n\n"))
        save(tables.grep(Table)) if @options.save
      end

      private

      def json(tables, figures, curves)
        JSON.pretty_generate(versions: @versions, runs: @options.runs || 1, tables: tables.map(&:to_h), curves: curves, **figures)
      end

      def line = "#{@options.runs ? "Medians of #{@options.runs}" : "One run"}. #{@versions.map { |name, version| "#{name} #{version}" }.join(", ")}."

      def save(tables)
        FileUtils.mkdir_p(FOLDER)
        File.write(File.join(FOLDER, "#{@name}.md"), ["# #{@name}", *tables.map(&:to_markdown), line].join("\n\n") << "\n")
      end
    end
  end
end
