# frozen_string_literal: true

require "bigdecimal"
require_relative "../../terminal_text"

module Trunkline
  module Postgres
    # The first rows of a result as text for a terminal: no wider than that, and without control characters.
    class ResultTable # :nodoc:
      # Rows that fit a terminal of 24 lines, besides the heading, the count and a prompt.
      ROWS = 20
      # Characters of a value that are used; no terminal is wider.
      LONGEST = 500
      # Characters that a column keeps if the columns do not all fit.
      NARROWEST = 6
      BETWEEN = " | "
      UNSEEN = /[[:cntrl:]\p{Cf}\p{Co}\p{Zl}\p{Zp}]/.freeze
      private_constant :ROWS, :LONGEST, :NARROWEST, :BETWEEN, :UNSEEN

      # @param result [Result]
      # @param width [Integer] of the terminal, in characters
      def initialize(result, width)
        @result = result
        @width = width
        @rows = result.rows.first(ROWS)
      end

      # @return [String] lines, without a newline after the last one
      def to_s
        return @result.inspect if @result.columns.empty?

        names = @result.columns.map { |name| readable(name) }
        cells = @rows.map { |row| row.map { |value| text(value) } }
        widths = fitting([names, *cells].transpose.map { |column| column.map { |cell| TerminalText.width(cell) }.max })
        lines = [line(names, widths), widths.map { |width| "-" * width }.join("-+-"), *cells.zip(@rows).map { |texts, row| line(texts, widths, row) }]
        [*lines.map { |text| TerminalText.cut(text, @width).rstrip }, count].join("\n")
      end

      private

      def count
        rows = "#{@result.size} row#{"s" unless @result.size == 1}"
        @result.size > ROWS ? "(#{rows}, of which these are the first #{ROWS})" : "(#{rows})"
      end

      # Numbers are right-aligned.
      def line(texts, widths, values = [])
        texts.each_with_index.map do |text, at|
          shown = TerminalText.fill(text, widths[at])
          values[at].is_a?(Numeric) ? shown.rstrip.rjust(widths[at]) : shown
        end.join(BETWEEN)
      end

      # The widest columns are shortened to fit.
      def fitting(widths)
        room = @width - (BETWEEN.size * (widths.size - 1))
        return widths if widths.sum <= room

        most = widths.max.downto(NARROWEST).find { |limit| widths.sum { |width| [width, limit].min } <= room } || NARROWEST
        widths.map { |width| [width, most].min }
      end

      def text(value)
        case value
        when nil then "NULL"
        when BigDecimal then value.to_s("F")
        when String then value.encoding == Encoding::BINARY ? "\\x#{value.byteslice(0, LONGEST / 2).unpack1("H*")}" : readable(value)
        when Array, Hash then readable(value.inspect)
        else readable(value.to_s)
        end
      end

      def readable(text) = text[0, LONGEST].scrub.gsub(UNSEEN) { |sign| sign.dump[1..-2] }
    end
    private_constant :ResultTable
  end
end
