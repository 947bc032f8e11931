# frozen_string_literal: true

require_relative "screen_width"
require_relative "shortened_sql"

module Trunkline
  # The line of a statement that contains an error's position, with a caret under that position, as psql and libpq show it (libpq's
  # reportErrorPosition):
  #
  #   LINE 2: FROM user
  #                ^
  class MarkedLine
    # Columns of the line that are shown, and how many of them follow the position if the line is cut on its left: libpq's own numbers.
    COLUMNS = 60
    RIGHT = 10
    # Characters beside the position that are used: each has a column at least.
    REACH = COLUMNS + 1
    private_constant :COLUMNS, :RIGHT, :REACH

    # @param sql [String] valid in its encoding
    # @param position [Integer, nil] in characters, from 1; the one after the last character is the statement's end
    # @yieldparam sql [String] all that may be shown
    # @yieldreturn [Array(String, Boolean)] the beginning of it that is shown; and whether that is not all
    # @return [String, nil] two lines without a final newline; nil: the SQL has no such position, or it is hidden
    def self.of(sql, position)
      return unless position.is_a?(Integer) && position.positive?

      looked_at = sql[0, position + ShortenedSQL::WINDOW]
      shown = ShortenedSQL.readable(looked_at)
      new(shown, position - 1, shown.size < looked_at.size).to_s if position - 1 <= shown.size
    end

    # @param sql [String]
    # @param at [Integer] characters before the position
    # @param hides [Boolean] whether more follows that is hidden
    def initialize(sql, at, hides)
      @before = sql[0, at]
      start = (@before.rindex(/[\r\n]/) || -1) + 1
      @head = [start, at - REACH].max
      line = "#{@before[@head..]}#{sql[at, REACH]}#{ShortenedSQL::HIDDEN if hides && sql.size - at < REACH}"
      @line = line[/\A.{#{at - @head}}[^\r\n]*/m]
      @mark = at - @head
    end

    # @return [String]
    def to_s
      first, last = ends
      prefix = "LINE #{number}: #{"..." if first.positive?}"
      margin = prefix.size + edges[@mark] - edges[first]
      "#{prefix}#{@line[first...last].tr("\t", " ")}#{"..." if last < @line.size}\n#{" " * margin}^"
    end

    private

    # A line ends with \n, \r or both.
    def number = 1 + @before.count("\r\n") - @before.scan("\r\n").size

    # The columns at which each character begins, and at which the last one ends.
    def edges
      @edges ||= @line.each_char.with_object([0]) { |character, edges| edges << (edges.last + ScreenWidth.of(character)) }
    end

    # The part of the line that fits: cut on its right if that is enough, else on both sides.
    def ends
      first = 0
      last = @line.size
      return [first, last] if edges[last] <= COLUMNS

      if COLUMNS >= edges[@mark] + RIGHT
        last -= 1 while edges[last] > COLUMNS
      else
        last -= 1 while edges[@mark] + RIGHT < edges[last]
        first += 1 while edges[last] - edges[first] > COLUMNS
      end
      [first, last]
    end
  end
  private_constant :MarkedLine
end
