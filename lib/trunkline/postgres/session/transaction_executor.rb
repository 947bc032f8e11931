# frozen_string_literal: true

require_relative "../request/executor"
require_relative "transaction"

module Trunkline
  module Postgres
    # Sends the requests of a transaction or savepoint through its session, as long as its block runs.
    class TransactionExecutor < Executor # :nodoc:
      # @param level [TransactionLevel] of the block
      # @param statements [Hash{String => Statement}] of the session
      # @param decoding [Hash] of the session
      # @param responses [ResponseReader] of the session
      # @param result_class [Class] of the session
      def initialize(level, statements, decoding, responses, result_class)
        super(statements, decoding, responses, Transaction.new(self, level, statements, result_class))
        @level = level
      end

      def perform(request) = @level.open_session.perform(request)

      # A write in a transaction has no commit of its own.
      alias commit_together perform
      alias commit_separately perform

      def dispatch(request) = @level.open_session.dispatch(request)
      def localized(request, local) = @level.open_session.localized(request, local)
      def begins_elsewhere?(request) = @level.open_session.begins_elsewhere?(request)
      def holds_connection? = true
      def own_session(_callers_block) = yield(@level.open_session)
      def statements_for(decoding, context) = @level.session.statements_for(decoding, context)

      # As {TransactionLevel#begin_with}.
      def begin_with(local) = @level.begin_with(local)

      # As {Transaction#transaction}.
      def transaction(options, callers_block, &) = @level.open_session.transaction(options, callers_block, &)
    end
    private_constant :TransactionExecutor
  end
end
