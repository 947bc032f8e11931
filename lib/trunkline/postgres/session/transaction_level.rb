# frozen_string_literal: true

module Trunkline
  module Postgres
    # The state of a transaction, or of a savepoint within one: how it begins, whether its block still runs, and how it ends. Its block gets a
    # {Transaction}, which calls this.
    class TransactionLevel # :nodoc:
      # @return [SessionExecutor] of its session
      attr_reader :session

      # @return [LocalSettings, nil] the settings that it was begun with
      attr_reader :local

      # @param session [SessionExecutor] of its session
      # @param lease [SessionLease] of the session
      # @param opening [String] SQL that begins it
      # @param order [TransactionRunner] of the whole transaction
      # @param savepoint [String, nil] its name
      def initialize(session, lease, opening, order, savepoint = nil)
        @session = session
        @lease = lease
        @opening = opening
        @order = order
        @savepoint = savepoint
        @open = false
        @exit = BlockExit.new
      end

      # @param name [String]
      # @return [TransactionLevel] a savepoint in it
      def nested(name) = TransactionLevel.new(@session, @lease, "SAVEPOINT #{name}", @order, name)

      # Runs the block, and commits or undoes its effects.
      #
      # @param transaction [TransactionExecutor] for the block
      # @return [Object, nil] the block's value; nil when it was left by {Rollback} or {#leave}
      # @raise [Error] as {Client#transaction}
      def run(transaction)
        @callbacks_before = @order.callbacks.size
        @lease.pending.push(@opening)
        @open = true
        catch(self) { @exit.run { yield transaction } }
      rescue Rollback
        nil
      rescue Indeterminate, ConnectionError => error
        raise if @savepoint || !@lease.lost?

        raise lost, cause: error
      ensure
        Thread.handle_interrupt(Waiting::ON_BLOCKING) { finish }
      end

      # Leaves the block. Does not return.
      #
      # @raise [SharedStateError] called in another fiber or thread than the block
      # @raise [Closed] the block has ended
      def leave
        open_session
        throw self
      rescue UncaughtThrowError
        raise SharedStateError.new("rollback leaves the block of its transaction, so only the caller that runs it can call that", server: @session.server), cause: nil
      end

      # @param callback [#call] to be called after the commit
      # @raise [Closed] the block has ended
      def after_commit(callback)
        open_session
        @order.callbacks.push(callback)
      end

      # Adds the settings after its BEGIN. A savepoint has those of its transaction.
      #
      # @param local [LocalSettings]
      # @raise [SharedStateError] that has other settings
      def begin_with(local)
        return @session.localized(nil, local) if @savepoint

        @local = local
        @lease.pending.push(local.sql)
        @lease.begin_with(local.context)
      end

      # @return [SessionExecutor] of the session
      # @raise [Closed] the block has ended
      def open_session
        raise Closed.new("the transaction has ended", server: @session.server) unless @open

        @session
      end

      # @return [Boolean] whether a statement of it has failed
      def failed? = @lease.status == "E"

      # @return [Boolean] whether the server has no open transaction, although this one has begun
      def over? = @lease.status == "I" && !opening_pending?

      # @return [String]
      def inspect = "#{@savepoint || "of #{@session.server}"}#{" ended" unless @open}"

      private

      # @return [Boolean] whether its opening was not sent yet
      def opening_pending? = @lease.pending.any? { |sql| sql.equal?(@opening) }

      def forget
        @lease.pending.delete_if { |sql| sql.equal?(@opening) || sql.equal?(@local&.sql) }
        @lease.begin_with(nil)
      end

      def finish
        @open = false
        return out_of_order unless @session.innermost?(self)

        @exit.completed? ? commit : roll_back
      end

      # Ends the whole transaction if two fibers or threads have each begun a savepoint in it: it is unknown which statement belongs to which.
      def out_of_order
        @lease.mark_broken
        raise SharedStateError.new("a savepoint within this transaction, of another fiber or thread, is still open: all is rolled back", server: @session.server)
      end

      def commit
        opening_pending? ? forget : commit_begun
        @order.committed! unless @savepoint
      end

      # The server reports COMMIT of a failed transaction as successful, although it rolls back: for a caller that wants to commit, that is an error.
      def commit_begun
        raise lost if @lease.broken?

        status = @lease.status
        raise Closed.new("the transaction had ended before its block: its BEGIN failed, or a statement in it has ended it", server: @session.server) if status == "I"

        roll_back if (failed = status == "E")
        raise rolled_back if failed || ended_by(@savepoint ? "RELEASE SAVEPOINT #{@savepoint}" : "COMMIT").rolled_back?
      end

      # If the connection was lost before this was sent, the error is only that loss.
      def ended_by(sql)
        @session.command(sql)
      rescue ConnectionError => error
        raise lost, cause: error
      end

      def lost
        ConnectionError.new("the transaction is rolled back: #{@lease.why_broken}", server: @session.server, sent: true, retriable: true)
      end

      def rolled_back
        InFailedSqlTransaction.new({ sqlstate: "25P02", severity: "ERROR", message: "the transaction was rolled back, because a statement in it failed" }, server: @session.server)
      end

      # Cancels abandoned requests, and rolls back. If that fails within the time limit, the session's end closes the connection, and no caller can
      # use the transaction meanwhile.
      def roll_back
        @order.callbacks.slice!(@callbacks_before..)
        return forget if opening_pending?
        return if over?
        return @lease.mark_broken if @lease.broken? || !@lease.settle
        return if over?

        @order.suspect(@lease.last)
        sql = @savepoint ? "ROLLBACK TO SAVEPOINT #{@savepoint}; RELEASE SAVEPOINT #{@savepoint}" : "ROLLBACK"
        Deadlines.instead(LeaseCleanup::LONGEST) { @session.command(sql) }
      rescue Error
        @lease.mark_broken
      end
    end
    private_constant :TransactionLevel
  end
end
