# frozen_string_literal: true

require_relative "session_lease"

module Trunkline
  module Postgres
    # Runs a statement of the library itself within a caller's transaction: the caller's statement_timeout does not end it, the server does not
    # compile it (see LocalSettings::OWN), and its failure does not abort the transaction. The savepoint is sent with the statement, and costs one
    # more round trip at its end.
    module OwnSavepoint # :nodoc:
      OPENING = ["SAVEPOINT trunkline_look_up", "SET LOCAL statement_timeout = 0", "SET LOCAL jit = off", "SET LOCAL geqo = off"].freeze
      ENDING = "ROLLBACK TO SAVEPOINT trunkline_look_up; RELEASE SAVEPOINT trunkline_look_up"
      private_constant :OPENING, :ENDING

      module_function

      # @param session [SessionExecutor] of a session in a transaction
      # @yieldreturn [Object] runs a query there that changes nothing
      # @return [Object] the block's value
      def run(session)
        session.lease.pending.push(*OPENING)
        yield
      ensure
        close(session) unless taken_back?(session.lease.pending)
      end

      # Removes the opening if it was not sent.
      #
      # @return [Boolean] whether it was not sent: there is no savepoint
      def taken_back?(pending) = !pending.reject! { |sql| OPENING.any? { |own| own.equal?(sql) } }.nil?

      # A statement that its caller has abandoned may still be in flight: then the end of the transaction waits for it.
      def close(session)
        return if session.lease.broken? || !session.lease.idle? || !%w[T E].include?(session.lease.status)

        Deadlines.instead(LeaseCleanup::LONGEST) { session.command(ENDING) }
      rescue InvalidSavepointSpecification
        nil # the transaction had failed before; the statement's own error is raised
      end
      private_class_method :taken_back?, :close
    end
    private_constant :OwnSavepoint
  end
end
