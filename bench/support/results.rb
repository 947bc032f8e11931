# frozen_string_literal: true

require "fileutils"
require "json"
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

      # @param tables [Array<Table>]
      # @param figures [Hash] the same for machines
      def publish(tables, figures)
        puts(@options.json ? JSON.pretty_generate(versions: @versions, **figures) : [*tables, line].join("\n\n"))
        save(tables) if @options.save
      end

      private

      def line = "Medians of #{@options.runs}. #{@versions.map { |name, version| "#{name} #{version}" }.join(", ")}."

      def save(tables)
        FileUtils.mkdir_p(FOLDER)
        File.write(File.join(FOLDER, "#{@name}.md"), ["# #{@name}", *tables.map(&:to_markdown), line].join("\n\n") << "\n")
      end
    end
  end
end
