# frozen_string_literal: true

module Trunkline
  module Postgres
    # The types for which a statement was prepared that failed within a transaction before it was executed: perhaps because another program has
    # changed its parameters' types since. The server can be queried only after the end of the transaction, as it describes nothing in a failed one.
    class SuspectedTypes # :nodoc:
      # @param request [Request, nil] answered
      # @return [SuspectedTypes, nil] nil: it did not fail, or for another reason
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

      # @param error [ServerError] with which the transaction ended
      # @yieldparam description [Request] a Describe of the statement, to be performed
      # @yieldreturn [Request] the same, answered: the statement's own record may have been reset for others meanwhile
      # @return [ServerError] an OutdatedStatement if its parameters have other types now; else the same error
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
