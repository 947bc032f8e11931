# frozen_string_literal: true

module Trunkline
  module Postgres
    # A name with a dot in double quotes, as insert writes a String that contains the schema too, which the server has refused.
    module DottedNames # :nodoc:
      # SQLSTATEs: undefined_table, undefined_column.
      REFUSALS = %w[42P01 42703].freeze
      DOTTED = /\A"[^"]*\.[^"]*"/
      ADVICE = "a dot within double quotes is part of one name: write \"schema\".\"table\" in SQL, and [:schema, :table] for insert"
      private_constant :REFUSALS, :DOTTED, :ADVICE

      # @param fields [Hash{Symbol => Object}] as {ServerError#fields}
      # @param sql [String, nil]
      # @return [String, nil] a sentence; nil: no such name stands at the position of the error
      def self.advice(fields, sql)
        at = fields[:position]
        return unless sql && at.is_a?(Integer) && at.positive? && REFUSALS.include?(fields[:sqlstate])

        ADVICE if DOTTED.match?(sql[(at - 1)..].to_s)
      end
    end
    private_constant :DottedNames
  end
end
