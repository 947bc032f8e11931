# frozen_string_literal: true

require_relative "transaction_level"
require_relative "transaction_runner"
require_relative "../copy/copying"
require_relative "../verbs/querying"
require_relative "../verbs/streaming"

module Trunkline
  # Raised in a transaction's block, it rolls the transaction back, in a savepoint's block the savepoint, and is not raised further.
  class Rollback < StandardError; end

  module Postgres
    # The argument of a transaction's block, for its queries and its end. Within another transaction it is a savepoint. BEGIN and SAVEPOINT are sent
    # with the first query after them; without one, nothing is sent at all.
    class Transaction
      include Querying
      include Copying
      include Streaming

      # @param executor [TransactionExecutor]
      # @param level [TransactionLevel] of the block
      def initialize(executor, level, statements, result_class) # :nodoc:
        @executor = executor
        @level = level
        @statements = statements
        @result_class = result_class
      end

      # Runs several statements, separated by semicolons, without parameters.
      #
      # @param sql [String]
      # @return [Array<Result>] one for each statement
      # @raise [Error] as {#query}
      # @raise [ArgumentError] values were given
      def execute_script(sql, *unknown) = @level.open_session.execute_script(sql, *unknown)

      # Runs the block in a savepoint. Its effects are kept when it ends, also by next, break or return, and undone when it is left in any other way.
      # {Rollback} undoes them and is not raised further.
      #
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned; nil after {Rollback} and {#rollback}
      # @raise [InFailedSqlTransaction] the block ended normally, but a statement in it had failed
      # @raise [ArgumentError] there is no block
      def transaction(**options, &block) = @level.open_session.object.transaction(**options, &block)

      # Leaves the block of this transaction or savepoint, and undoes its effects. Does not return.
      #
      # @raise [SharedStateError] called in another fiber or thread than the block
      # @raise [Closed] the block has ended
      def rollback = @level.leave

      # Runs the block after the whole transaction is committed, and its connection returned unless a session keeps it. It does not run if the
      # transaction, or the savepoint in which it was given, is rolled back. Its exceptions are raised, and later blocks do not run then.
      #
      # @return [nil]
      # @raise [Closed] the block of the transaction has ended
      def after_commit(&block)
        raise ArgumentError, "after_commit needs a block" unless block

        @level.after_commit(block)
        nil
      end

      # @return [Boolean] whether a statement has failed: the transaction can only be rolled back
      def failed? = @level.failed?

      # @return [String]
      def inspect = "#<#{self.class} #{@level.inspect}>"
    end
  end
end
