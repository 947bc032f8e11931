# frozen_string_literal: true

module Trunkline
  module Postgres
    # The types that a statement was prepared for, which failed within a transaction before it was carried out: perhaps because another program has changed
    # its parameters' types since. Only behind the end of the transaction can the server be asked, which describes nothing in a failed one.
    class SuspectedTypes # :nodoc:
      # @param request [Request, nil] answered
      # @return [SuspectedTypes, nil] nil: it did not fail, or certainly for another reason
      def self.of(request)
        failed = [request, *request&.members].find { |member| member&.outdated? && !member.forgotten? }
        types = failed&.prepared&.parameter_types
        types && new(failed.statement, types)
      end

      # @param statement [Statement]
      # @param types [Array<Integer>] OIDs, one for each parameter
      def initialize(statement, types)
        @statement = statement
        @types = types
      end

      # @param error [ServerError] that the transaction ended with
      # @yieldparam description [Request] of the statement, to be carried out
      # @yieldreturn [Request] which was: what the statement itself remembers, others may have had to forget meanwhile
      # @return [ServerError] an OutdatedStatement where its parameters have other types now; else the same error
      def explain(error)
        return error unless error.sql == ShortenedSQL.call(@statement.sql)

        types = yield(Request.describe(@statement).anew).parameter_types
        types.nil? || types == @types ? error : OutdatedStatement.new(error.fields, sql: error.sql, server: error.server)
      rescue Error
        error
      end
    end
    private_constant :SuspectedTypes
  end
end
