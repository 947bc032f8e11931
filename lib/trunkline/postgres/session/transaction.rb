# frozen_string_literal: true

require_relative "transaction_level"
require_relative "transaction_runner"
require_relative "../copy/copying"
require_relative "../verbs/querying"
require_relative "../verbs/streaming"

module Trunkline
  # Raised in a transaction's block, it rolls the transaction back and goes no further; in a savepoint's, the savepoint.
  class Rollback < StandardError; end

  module Postgres
    # What the block of a transaction is given: its queries, and what becomes of it. Within another transaction it is a
    # savepoint. BEGIN and SAVEPOINT travel with the first query after them; without one, nothing is sent at all.
    class Transaction
      include Querying
      include Copying
      include Streaming

      # @param executor [TransactionExecutor]
      # @param level [TransactionLevel] what it stands for
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
      def execute_script(sql) = @level.open_session.execute_script(sql)

      # Runs the block in a savepoint: what it has done is kept when it comes to its end, by next, break or return too, and
      # undone when it is left in any other way. {Rollback} undoes it and goes no further.
      #
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned; nil after {Rollback} and {#rollback}
      # @raise [InFailedSqlTransaction] the block came to its end, but a statement in it had failed
      # @raise [ArgumentError] there is no block
      def transaction(**options, &block) = @level.open_session.object.transaction(**options, &block)

      # Leaves the block of this transaction, or of this savepoint, and undoes what it has done. Does not return.
      #
      # @raise [SharedStateError] called in another fiber or thread than the block
      # @raise [Closed] the block has ended
      def rollback = @level.leave

      # Has the block run when the whole transaction is committed, and its connection given back where no session keeps it. It is forgotten when
      # the transaction, or the savepoint that it was given in, is rolled back. What it raises is the caller's, and those that
      # were to follow do not run.
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
