# frozen_string_literal: true

module Trunkline
  module Postgres
    # Placeholders of other libraries in SQL that the server has refused, and what to write instead.
    module Placeholders # :nodoc:
      # SQLSTATEs of such errors: a syntax error, or an unknown operator or column.
      REFUSALS = %w[42601 42883 42703].freeze
      NUMBERED = "write $1, $2, ... for values, and pass these in that order after the SQL"
      # The client replaces these itself if it gets a Hash: see {NamedParameters}.
      NAMED = ":name"
      # The text before and at the position of the error. "=?" is read as one operator, which does not exist; up to PostgreSQL 13 it may be a postfix
      # operator.
      SHAPES = [
        ["?", /\?\z/, //], ["?", //, /\A(?:=|<>|!=|[<>]=?)?\?/], [NAMED, /(?<!:)\z/, /\A:[[:alpha:]_]/], ["%s", //, /\A%(?:s\b|\()/], ["%s", /%\z/, /\As\b/],
        ["@name", /@\z/, /\A[[:alpha:]_]/], ["$name", //, /\A\$[[:alpha:]_]/], ["{name}", /(?<!#)\z/, /\A\{/], ["\#{name}", /#\z/, /\A\{/]
      ].freeze
      # Characters that are checked on either side.
      REACH = 8
      # A parameter of PostgreSQL's in a place where there is no value.
      MISPLACED = [/\A\$\d/, "42601", "$1 and so on stand for values alone: a type goes behind, as in $1::interval, a list is = ANY($1), IS is IS NOT DISTINCT FROM $1, and names are put into the SQL by escape_identifier"].freeze
      private_constant :MISPLACED, :REFUSALS, :NUMBERED, :NAMED, :SHAPES, :REACH

      # @param fields [Hash{Symbol => Object}] as {ServerError#fields}
      # @param sql [String, nil]
      # @return [String, nil] a sentence; nil: there is no other library's placeholder at the position of the error
      def self.advice(fields, sql)
        at = fields[:position]
        return unless sql && at.is_a?(Integer) && REFUSALS.include?(fields[:sqlstate])

        before = sql[[at - 1 - REACH, 0].max...(at - 1)].to_s.rstrip
        behind = sql[at - 1, REACH].to_s
        return MISPLACED.last if fields[:sqlstate] == MISPLACED[1] && MISPLACED.first.match?(behind)

        shape, = SHAPES.find { |_, ending, beginning| ending.match?(before) && beginning.match?(behind) }
        return ":name takes its value from one Hash after the SQL, in braces: query(sql, { name: value }); or #{NUMBERED}" if shape == NAMED

        "#{shape} is no placeholder of PostgreSQL: #{NUMBERED}" if shape
      end
    end
    private_constant :Placeholders
  end
end
