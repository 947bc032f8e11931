# frozen_string_literal: true

module Trunkline
  module Postgres
    # The session state that statements leave on the connection of a {VirtualSession}, by their text.
    module SessionRemains # :nodoc:
      # Settings that end with the transaction.
      PASSING = /\A\s*+SET\s++(?:LOCAL|TRANSACTION|CONSTRAINTS)\b/i
      # A transaction is begun with its first query, and one without any does not have to be ended.
      OPENING = /\A\s*+(?:BEGIN|START\s++TRANSACTION)\b/i
      ENDING = /\A\s*+(?:COMMIT|END|ROLLBACK|ABORT)\s*+(?:(?<=\s)(?:WORK|TRANSACTION)\s*+)?(?:;\s*+)?\z/i
      # The value of a sequence that an earlier statement of the session has drawn.
      READING_LAST_VALUE = /\A"?(?:currval|lastval)\b/i
      READING_LAST_VALUE_ANYWHERE = /currval|lastval/i
      private_constant :PASSING, :OPENING, :ENDING, :READING_LAST_VALUE, :READING_LAST_VALUE_ANYWHERE

      module_function

      # @return [Boolean]
      def opening?(sql) = sql == "BEGIN" || OPENING.match?(sql)

      # @return [Boolean]
      def ending?(sql) = sql == "COMMIT" || ENDING.match?(sql)

      # @return [Boolean] whether a setting ends with its transaction
      def passing?(sql) = PASSING.match?(sql)

      # @param statement [Statement]
      # @return [Boolean]
      def reads_last_value?(statement) = statement.classification == :session && READING_LAST_VALUE.match?(statement.culprit)

      # @param request [Request] of a statement or of a script
      # @return [Boolean] whether it may read such a value, or call a function that does
      def may_read_last_value?(request)
        return READING_LAST_VALUE_ANYWHERE.match?(request.script) if request.script

        !request.statement.shareable? && (request.statement.effect == :hidden || READING_LAST_VALUE_ANYWHERE.match?(request.statement.sql))
      end

      # @param statement [Statement, nil] nil: several statements
      # @return [Boolean] whether it leaves nothing when the transaction is over
      def none?(statement)
        return false unless statement

        case statement.classification
        when :shareable, :alone, :transaction, :savepoint then true
        when :setting then passing?(statement.sql)
        when :session then reads_last_value?(statement)
        else false
        end
      end
    end
    private_constant :SessionRemains
  end
end
