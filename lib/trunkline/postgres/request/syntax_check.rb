# frozen_string_literal: true

require_relative "executor"

module Trunkline
  module Postgres
    # Has the server parse a statement that the lexer does not know, before it is refused: if it is not SQL, the server's syntax error is raised.
    # Parsing executes nothing, and leaves no state on a shared connection.
    class SyntaxCheck < Executor # :nodoc:
      # Seconds for the server's answer, as {Future} has for a cancel. It is a bound: parsing takes the server less than a millisecond.
      MOST = 5.0
      private_constant :MOST

      # @param pool [Pool]
      # @param responses [ResponseReader]
      def initialize(pool, responses)
        super({}, {}, responses, nil)
        @pool = pool
      end

      # @param statement [Statement] that will be refused
      # @raise [SyntaxError] the server's
      def check(statement)
        Deadlines.hold(Deadlines.in(MOST)) { describe_request(Request.describe(statement).unnamed!) }
      rescue SyntaxError
        raise
      rescue Error
        nil # after any other error, the statement is refused as well
      end

      def perform(request) = @pool.perform(request)
    end
    private_constant :SyntaxCheck
  end
end
