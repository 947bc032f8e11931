# frozen_string_literal: true

require_relative "shortened_sql"

module Trunkline
  # Removes values from the fields of a server's error, for a client that is made with `errors: :without_values`.
  module WithoutValues
    # Fields that quote rows, values, and statements of functions.
    LEFT_OUT = %i[detail where internal_query internal_position].freeze
    # Fields with names that the message may quote.
    NAMES = %i[schema table column datatype constraint].freeze
    # A number is a value too; $1, t1 and "t1" are not.
    LITERAL = Regexp.union(ShortenedSQL::LITERAL, /(?<![\w$"])\.?\d/)
    # Functions' own messages: RAISE and ASSERT, and the source files of other languages.
    ROUTINES = %w[exec_stmt_raise exec_stmt_assert].freeze
    FILES = %w[plperl.c plpy_elog.c pltcl.c].freeze
    OWN_WORDS = "the message of a function is not shown (errors: :without_values)"
    # Class 42 is about names and syntax, and quotes the statement; class 22 is about values, and contains numbers without quotes.
    ABOUT_NAMES = "42"
    ABOUT_VALUES = "22"
    QUOTED = /"([^"]*)"/
    NUMBER = /(?<![\w(])-?\.?\d[\w.]*/
    HIDDEN = ShortenedSQL::HIDDEN
    private_constant :LEFT_OUT, :NAMES, :LITERAL, :ROUTINES, :FILES, :OWN_WORDS, :ABOUT_NAMES, :ABOUT_VALUES, :QUOTED, :NUMBER, :HIDDEN

    class << self
      # @param sql [String, nil]
      # @return [String, nil] its beginning, up to its first literal
      def sql(sql)
        start = sql&.index(LITERAL)
        start ? "#{sql[0, start]}#{HIDDEN}" : sql
      end

      # @param fields [Hash{Symbol => String, Integer}] as {ServerError#fields}
      # @param sql [String, nil] as {.sql} returned it
      # @return [Hash{Symbol => String, Integer}]
      def fields(fields, sql)
        kept = fields.reject { |name, _| LEFT_OUT.include?(name) }
        return kept.except(:hint, *NAMES).merge(message: OWN_WORDS) if ROUTINES.include?(fields[:routine]) || FILES.include?(fields[:file])

        known = fields.values_at(*NAMES).compact
        kept.to_h { |name, text| [name, %i[message hint].include?(name) ? hidden(text, fields[:sqlstate].to_s, known, sql.to_s) : text] }
      end

      private

      # A value may contain quotes itself: everything is hidden from the first quote that does not begin a name to the last one.
      def hidden(text, sqlstate, names, sql)
        from = first_value(text) { |quoted| names.include?(quoted) || (sqlstate.start_with?(ABOUT_NAMES) && sql.include?(quoted)) }
        text = "#{text[0, from]}\"#{HIDDEN}\"#{text[(text.rindex('"') + 1)..]}" if from
        sqlstate.start_with?(ABOUT_VALUES) ? text.gsub(NUMBER, HIDDEN) : text
      end

      # @return [Integer, nil] position of the first quote that does not belong to a name
      def first_value(text)
        at = 0
        while (match = QUOTED.match(text, at))
          return match.begin(0) unless yield match[1]

          at = match.end(0)
        end
        text.index('"', at)
      end
    end
  end
  private_constant :WithoutValues
end
