# frozen_string_literal: true

module Trunkline
  # Raised in a transaction's block, it rolls the transaction back and goes no further.
  class Rollback < StandardError; end

  module Postgres
    # One level of a session's transactions: the outermost is a transaction, those within are savepoints.
    class Transaction # :nodoc:
      def initialize(session, depth)
        @session = session
        @savepoint = "trunkline_#{depth}" if depth.positive?
        @open = false
      end

      # @yieldparam session [Session]
      def run
        open
        result = yield @session
        commit
        result
      rescue Rollback
        nil
      ensure
        roll_back if @open
      end

      private

      def open
        @session.query(@savepoint ? "SAVEPOINT #{@savepoint}" : "BEGIN")
        @open = true
      end

      # COMMIT of a failed transaction rolls back and calls that a success: it is none for who asked for a commit.
      def commit
        failed = @session.failed?
        roll_back if failed
        raise rolled_back if failed

        @session.query(@savepoint ? "RELEASE SAVEPOINT #{@savepoint}" : "COMMIT")
        @open = false
      end

      def rolled_back
        InFailedSqlTransaction.new({ sqlstate: "25P02", severity: "ERROR", message: "the transaction was rolled back, because a statement in it failed" })
      end

      # Whoever leaves a query unanswered, or has lost the connection, leaves the rest to the session's end.
      def roll_back
        @open = false
        return unless @session.idle?

        Deadlines.instead(Session::TIDYING) { @session.query(@savepoint ? "ROLLBACK TO SAVEPOINT #{@savepoint}" : "ROLLBACK") }
      rescue Error
        # the connection is lost, and the transaction with it
      end
    end
    private_constant :Transaction
  end
end
