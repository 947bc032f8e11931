# frozen_string_literal: true

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

      # @param session [Internals] of its session
      # @param opening [String] SQL that begins it
      # @param order [TransactionRunner] what it belongs to
      # @param savepoint [String, nil] its name
      def initialize(session, opening, order, savepoint = nil) # :nodoc:
        @session = session
        @lease = session.pinned
        @statements = session.statements
        @decoding = session.decoding
        @responses = session.responses
        @result_class = session.result_class
        @opening = opening
        @order = order
        @savepoint = savepoint
        @open = false
        @exit = BlockExit.new
      end

      # Runs several statements, separated by semicolons, without parameters.
      #
      # @param sql [String]
      # @return [Array<Result>] one for each statement
      # @raise [Error] as {#query}
      def execute_script(sql) = open_session.object.execute_script(sql)

      # Runs the block in a savepoint: what it has done is kept when it comes to its end, by next, break or return too, and
      # undone when it is left in any other way. {Rollback} undoes it and goes no further.
      #
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned; nil after {Rollback} and {#rollback}
      # @raise [InFailedSqlTransaction] the block came to its end, but a statement in it had failed
      # @raise [ArgumentError] there is no block
      def transaction(**options, &block) = open_session.object.transaction(**options, &block)

      # Leaves the block of this transaction, or of this savepoint, and undoes what it has done. Does not return.
      #
      # @raise [SharedStateError] called in another fiber or thread than the block
      # @raise [Closed] the block has ended
      def rollback
        open_session
        throw self
      rescue UncaughtThrowError
        raise SharedStateError.new("rollback leaves the block of its transaction, so only the caller that runs it can call that", server: @session.server), cause: nil
      end

      # Has the block run when the whole transaction is committed, and its connection given back where no session keeps it. It is forgotten when
      # the transaction, or the savepoint that it was given in, is rolled back. What it raises is the caller's, and those that
      # were to follow do not run.
      #
      # @return [nil]
      # @raise [Closed] the block of the transaction has ended
      def after_commit(&block)
        raise ArgumentError, "after_commit needs a block" unless block

        open_session
        @order.callbacks.push(block)
        nil
      end

      # @return [Boolean] whether a statement has failed: the transaction can only be rolled back
      def failed? = @session.object.failed?

      # @return [String]
      def inspect = "#<#{self.class} #{@savepoint || "of #{@session.server}"}#{" ended" unless @open}>"

      private

      attr_reader :statements, :decoding

      # The settings that hold in it.
      attr_reader :local

      # Is the server in no transaction, although this one has begun?
      def over? = @lease.status == "I" && !begun_later?

      def statements_for(decoding, context) = @session.statements_for(decoding, context)

      def nested(name) = self.class.new(@session, "SAVEPOINT #{name}", @order, name)

      # @yieldparam transaction [Transaction] this one
      def run
        @callbacks_before = @order.callbacks.size
        @lease.pending.push(@opening)
        @open = true
        catch(self) { @exit.run { yield self } }
      rescue Rollback
        nil
      rescue Indeterminate, ConnectionError => error
        raise if @savepoint || !@lease.lost?

        raise lost, cause: error
      ensure
        Thread.handle_interrupt(Waiting::WHERE_IT_SLEEPS) { finish }
      end

      # Has its BEGIN followed by them. A savepoint has those of its transaction.
      #
      # @param local [LocalSettings]
      def begin_with(local)
        return @session.localized(nil, local) if @savepoint

        @local = local
        @lease.pending.push(local.sql)
        @lease.begin_with(local.context)
      end

      def localized(request, local) = open_session.localized(request, local)

      def own_session(_block) = yield(open_session)
      def holds_connection? = true
      def begins_elsewhere?(request) = open_session.begins_elsewhere?(request)
      def perform(request) = open_session.perform(request)
      alias commit_together perform
      alias commit_apart perform
      def dispatch(request) = open_session.dispatch(request)

      def open_session
        raise Closed.new("the transaction has ended", server: @session.server) unless @open

        @session
      end

      # Nothing was asked since it was begun.
      def begun_later? = @lease.pending.any? { |sql| sql.equal?(@opening) }

      def forget
        @lease.pending.delete_if { |sql| sql.equal?(@opening) || sql.equal?(@local&.sql) }
        @lease.begin_with(nil)
      end

      def finish
        @open = false
        return out_of_order unless @session.innermost?(self)

        @exit.completed? ? commit : roll_back
      end

      # Two fibers or threads have each begun a savepoint in one transaction. What is whose cannot be told any more.
      def out_of_order
        @lease.mark_broken
        raise SharedStateError.new("a savepoint within this transaction, of another fiber or thread, is still open: all is rolled back", server: @session.server)
      end

      def commit
        begun_later? ? forget : commit_what_was_begun
        @order.committed! unless @savepoint
      end

      # COMMIT of a failed transaction rolls back and calls that a success: it is none for a caller that asked for a commit.
      def commit_what_was_begun
        raise lost if @lease.broken?
        raise Closed.new("the transaction had ended before its block: its BEGIN failed, or a statement in it has ended it", server: @session.server) if over?

        failed = @session.object.failed?
        roll_back if failed
        raise rolled_back if failed || ended_by(@savepoint ? "RELEASE SAVEPOINT #{@savepoint}" : "COMMIT").rolled_back?
      end

      # A connection that was lost before this was sent is no more than lost.
      def ended_by(sql)
        @session.command(sql)
      rescue ConnectionError => error
        raise lost, cause: error
      end

      def lost
        ConnectionError.new("nothing remains of the transaction: #{@lease.why_broken}", server: @session.server, sent: true, retriable: true)
      end

      def rolled_back
        InFailedSqlTransaction.new({ sqlstate: "25P02", severity: "ERROR", message: "the transaction was rolled back, because a statement in it failed" }, server: @session.server)
      end

      # What was given up in the middle is ended first. Where that cannot be done in time, the session's end closes the
      # connection, and no caller goes on with the transaction meanwhile.
      def roll_back
        @order.callbacks.slice!(@callbacks_before..)
        return forget if begun_later?
        return if over?
        return @lease.mark_broken if @lease.broken? || !@lease.settle
        return if over?

        sql = @savepoint ? "ROLLBACK TO SAVEPOINT #{@savepoint}; RELEASE SAVEPOINT #{@savepoint}" : "ROLLBACK"
        Deadlines.instead(SessionLease::TIDYING) { @session.command(sql) }
      rescue Error
        @lease.mark_broken
      end
    end
  end
end
