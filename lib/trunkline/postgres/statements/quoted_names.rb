# frozen_string_literal: true

module Trunkline
  module Postgres
    # A name in double quotes that contains more than a name, as insert writes what it is given, and that the server has refused.
    module QuotedNames # :nodoc:
      # SQLSTATEs: undefined_table, undefined_column.
      REFUSALS = %w[42P01 42703].freeze
      # What the quotes contain, and what to write.
      ADVICE = {
        /\A"\*"/ => "within double quotes the asterisk is a column's name: for insert, all columns are returning: true",
        /\A"[^",]*,[^"]*"/ => "within double quotes this is one name: several go to insert as an Array, as [:id, :name]",
        /\A"[^".]*\.[^"]*"/ => "a dot within double quotes is part of one name: write \"schema\".\"table\" in SQL, and [:schema, :table] for insert"
      }.freeze
      private_constant :REFUSALS, :ADVICE

      # @param fields [Hash{Symbol => Object}] as {ServerError#fields}
      # @param sql [String, nil]
      # @return [String, nil] a sentence; nil: no such name stands at the position of the error
      def self.advice(fields, sql)
        at = fields[:position]
        return unless sql && at.is_a?(Integer) && at.positive? && REFUSALS.include?(fields[:sqlstate])

        text = sql[(at - 1)..].to_s
        _, advice = ADVICE.find { |shape, _| shape.match?(text) }
        advice
      end
    end
    private_constant :QuotedNames
  end
end
