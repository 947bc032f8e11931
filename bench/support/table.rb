# frozen_string_literal: true

module Trunkline
  module Bench
    # Rows under headers, as text in columns or as Markdown. Numbers stand to the right.
    class Table
      NUMBER = /\A[-+\d.,:~<>=\/ ]+(%|x|k| ?us| ?ms| ?s)?\z/
      private_constant :NUMBER

      # @return [Array<String>]
      attr_reader :headers
      # @return [Array<Array<String>>]
      attr_reader :rows
      # @return [String, nil]
      attr_reader :title
      # @return [String, nil] header of the column that a page shows as bars
      attr_reader :drawn

      # @param headers [Array<String>]
      # @param rows [Array<Array>] cells that answer to to_s; an empty row is a gap
      # @param title [String, nil]
      # @param drawn [String, nil] header of a column of numbers
      def initialize(headers, rows, title: nil, drawn: nil)
        @headers = headers
        @rows = rows.map { |row| row.map(&:to_s) }
        @title = title
        @drawn = drawn
      end

      # @param parts [Hash{Symbol => Object}] see {#to_h}
      def self.from(parts) = new(parts[:headers], parts[:rows], title: parts[:title], drawn: parts[:drawn])

      # @return [Hash{Symbol => Object}] all that makes an equal one
      def to_h = { headers: headers, rows: rows, title: title, drawn: drawn }

      # @return [Hash{String => Float}] the first column's cells, and the drawn one's
      def bars
        column = headers.index(drawn)
        rows.reject(&:empty?).to_h { |row| [row.first, row.fetch(column).delete(",").to_f] }
      end

      # @return [String] columns as wide as their widest cell
      def to_s
        lines = [@headers, widths.map { |width| "-" * width }, *@rows].map { |row| line(row) }
        [*@title, *lines].join("\n")
      end

      # @return [String]
      def to_markdown
        rows = [@headers, @headers.map { "---" }, *@rows.reject(&:empty?)]
        [*(@title && ["## #{@title}", ""]), *rows.map { |row| "| #{row.join(" | ")} |" }].join("\n")
      end

      private

      def line(row)
        row.each_with_index.map { |cell, column| pad(cell, column) }.join("  ").rstrip
      end

      def pad(cell, column)
        right?(column) ? cell.rjust(widths[column]) : cell.ljust(widths[column])
      end

      def widths = @widths ||= columns.map { |cells| cells.map(&:length).max }

      def right?(column)
        @right ||= columns.map { |_, *cells| cells.all? { |cell| cell.empty? || cell.match?(NUMBER) } }
        @right[column]
      end

      def columns = @columns ||= [@headers, *@rows.reject(&:empty?)].transpose
    end
  end
end
