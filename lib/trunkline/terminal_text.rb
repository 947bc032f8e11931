# frozen_string_literal: true

require_relative "errors/screen_width"

module Trunkline
  # Text by the columns that it takes on a terminal.
  module TerminalText # :nodoc:
    # Characters without width.
    NARROW = /\p{Mn}|\p{Me}/.freeze
    private_constant :NARROW

    module_function

    # @param text [String] one line, without control characters
    # @return [Integer] columns
    def width(text) = text.ascii_only? ? text.size : text.each_char.sum { |sign| NARROW.match?(sign) ? 0 : ScreenWidth.of(sign) }

    # @param columns [Integer]
    # @return [String] no wider than that; an ellipsis ends what was cut
    def cut(text, columns)
      return text if width(text) <= columns

      kept = text[0, columns]
      kept = kept[0..-2] while width(kept) >= columns && !kept.empty?
      "#{kept}…"
    end

    # @param columns [Integer]
    # @return [String] cut, or with blanks behind it: exactly as wide as that
    def fill(text, columns) = cut(text, columns).then { |shown| shown + (" " * (columns - width(shown))) }
  end
  private_constant :TerminalText
end
