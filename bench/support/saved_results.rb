# frozen_string_literal: true

require_relative "results"
require_relative "table"

module Trunkline
  module Bench
    # What a bench has saved in its Markdown file, read again: its tables, its figures, and the versions that it ran with.
    class SavedResults
      # A figure with what was wanted of it, as the file has them.
      Figure = Struct.new(:name, :measured, :wanted) do
        # @return [Boolean, nil] nil: nothing was wanted, or that is no bound
        def met?
          return measured.to_f == wanted.to_f if wanted.match?(/\A-?[\d.]+\z/)

          bound = wanted.match(/\A(<=|>=|<|>) *(-?[\d.]+)\z/)
          bound && measured.to_f.public_send(bound[1], bound[2].to_f)
        end
      end

      FIGURES = "Figures"
      # Explanations of some results lie beside them, and the list of those that miss what was wanted.
      EXPLAINED = /-(profile|stopped)\z|\Amissed\z/
      private_constant :FIGURES, :EXPLAINED

      # @param folder [String]
      # @return [Array<SavedResults>] of all benches that have saved some, by name
      def self.all(folder = Results::FOLDER)
        Dir[File.join(folder, "*.md")].sort.map { |path| new(path) }.reject { |saved| EXPLAINED.match?(saved.name) }
      end

      # @return [String] of the bench
      attr_reader :name
      # @return [Array<Table>] all but the figures
      attr_reader :tables
      # @return [Array<Figure>]
      attr_reader :figures
      # @return [String] how often it ran, and with which versions
      attr_reader :versions

      # @param path [String]
      def initialize(path)
        @name = File.basename(path, ".md")
        lines = File.readlines(path, chomp: true)
        tables = lines.slice_when { |_, line| line.start_with?("#") }.filter_map { |part| table(part) }
        figures, @tables = tables.partition { |table| table.title == FIGURES }
        @figures = figures.flat_map { |table| table.rows.map { |row| Figure.new(*row) } }
        @versions = lines.reverse.find { |line| line.start_with?("Medians of", "One run.") }.to_s
      end

      private

      def table(lines)
        rows = lines.grep(/\A\|/).map { |line| line.delete_prefix("|").delete_suffix("|").split("|", -1).map(&:strip) }
        return if rows.size < 3

        headers, _, *cells = rows
        Table.new(headers, cells, title: lines.first.sub(/\A#+ /, ""), drawn: drawn(headers, cells))
      end

      # @return [String, nil] the first column after the sides' names, where it has a number in each row, and is not a number of clients
      def drawn(headers, rows)
        headers[1] if !headers[1].match?(/\A\d+\z/) && rows.all? { |row| row[1].to_s.match?(/\A[\d,]*\.?\d+\z/) } && rows.map(&:first).uniq.size == rows.size
      end
    end
  end
end
