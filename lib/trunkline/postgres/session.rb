# frozen_string_literal: true

require_relative "querying"
require_relative "transaction"

module Trunkline
  module Postgres
    # A server session of one's own, for as long as the block runs that it was made for: settings, temporary tables and
    # transactions stay on it, and are gone when it ends.
    class Session
      include Querying

      # Undoes what a server session can hold, but for its prepared statements.
      RESET = "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; UNLISTEN *; " \
              "SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES"
      # Seconds for setting the session back, when the caller's deadline has passed.
      TIDYING = 1.0 # :nodoc:
      private_constant :RESET

      attr_reader :trunk # :nodoc:

      def initialize(trunk, statements, answers, result_class) # :nodoc:
        @trunk = trunk
        @statements = statements
        @answers = answers
        @result_class = result_class
        @depth = 0
        @status = "I"
        @open = true
        trunk.codec.exclusive = true
      end

      # Runs several statements, separated by semicolons, without parameters: as one transaction, unless there are
      # transaction commands among them.
      #
      # @param sql [String]
      # @return [Array<Result>] one for each statement
      # @raise [Error] as {#query}
      def execute_script(sql)
        request = Request.script(Statements.text(sql))
        perform(request)
        @answers.results(answered(request), @result_class)
      end

      # Runs the block in a transaction, or in a savepoint of the one that is open: commits at its normal end, and rolls
      # back when it is left in any other way. {Rollback} rolls back and goes no further.
      #
      # @yieldparam session [Session] this one
      # @return [Object, nil] what the block returned; nil after {Rollback}
      # @raise [InFailedSqlTransaction] the block ended normally, but a statement in it had failed
      def transaction(&block)
        level = Transaction.new(self, @depth)
        @depth += 1
        level.run(&block)
      ensure
        @depth -= 1 if level
      end

      # @return [Boolean] whether the transaction that is open has failed: it can only be rolled back
      def failed? = @status == "E"

      # @return [Boolean] whether every query has its answer
      def idle? = @trunk.codec.idle? && @trunk.loss.nil?

      # Ends the session, and sets its connection back for the next caller.
      #
      # @return [Boolean] whether that worked: if not, the connection is not fit for anybody
      def finish # :nodoc:
        return false unless idle?

        Deadlines.instead(TIDYING) { reset }
      rescue Error
        false
      ensure
        @open = false
        @trunk.codec.exclusive = false
      end

      def perform(request) # :nodoc:
        travel(request) { @trunk.perform(request) }
        @status = request.status || @status
      end

      def dispatch(request) # :nodoc:
        travel(request) { @trunk.dispatch(request) }
        @trunk
      end

      private

      def reset
        request = Request.script(@status == "I" ? RESET : "ROLLBACK; #{RESET}")
        perform(request)
        request.answered? && request.status == "I"
      end

      # A session cannot go on elsewhere.
      def travel(request)
        sql = request.statement&.sql || request.script
        raise Closed.new("the session has ended", sql: sql, server: @trunk.server) unless @open
        return if yield request.pin
        return request.give_up(Expiry.new(sent: false)) if request.overdue?

        reason = @trunk.loss ? "its connection was lost: #{@trunk.loss.reason}" : "another event loop or thread uses it now"
        raise ConnectionError.new("the session cannot go on: #{reason}", sql: sql, server: @trunk.server, retriable: false)
      end
    end
  end
end
