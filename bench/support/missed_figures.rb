# frozen_string_literal: true

require "yaml"
require_relative "results"
require_relative "saved_results"
require_relative "table"

module Trunkline
  module Bench
    # The figures that miss what was wanted. bench/missed.yml has the reason of each, in one sentence.
    class MissedFigures
      PATH = File.join(Results::FOLDER, "missed.md")
      REASONS = File.expand_path("../missed.yml", __dir__)
      HEADERS = %w[bench figure measured wanted why].freeze
      private_constant :REASONS, :HEADERS

      # @param results [Array<SavedResults>]
      # @param reasons [Hash{String => Hash{String => String}}] by bench and name of the figure
      def initialize(results = SavedResults.all, reasons = YAML.load_file(REASONS, aliases: true))
        @results = results
        @reasons = reasons
      end

      # @return [Array<Array(String, SavedResults::Figure)>] bench and figure
      def all
        @results.flat_map { |saved| saved.figures.select { |figure| figure.met? == false }.map { |figure| [saved.name, figure] } }
      end

      # @param bench [String]
      # @param figure [SavedResults::Figure]
      # @return [String] why it misses what was wanted; empty where that is not known, or not so
      def reason(bench, figure) = figure.met? == false ? @reasons.dig(bench, figure.name).to_s : ""

      # @return [Array<Array(String, String)>] bench and name of each figure that has a reason and is not missed
      def superfluous
        missed = all.map { |bench, figure| [bench, figure.name] }
        @reasons.flat_map { |bench, reasons| reasons.keys.map { |name| [bench, name] } } - missed
      end

      # @param path [String] file to write
      # @return [String] the path
      def write(path = PATH)
        File.write(path, "# Missed figures\n\n#{introduction}\n\n#{table.to_markdown}\n")
        path
      end

      private

      def introduction
        wanted = @results.sum { |saved| saved.figures.count { |figure| !figure.met?.nil? } }
        "Of #{wanted} figures with a bound, #{wanted - all.size} meet it. This table has the others, with the reason. `rake results` writes it from the results and `bench/missed.yml`."
      end

      def table
        Table.new(HEADERS, all.map { |bench, figure| ["[#{bench}](#{bench}.md)", *figure.to_a, reason(bench, figure)] })
      end
    end
  end
end
