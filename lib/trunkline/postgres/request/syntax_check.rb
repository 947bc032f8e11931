# frozen_string_literal: true

require_relative "executor"

module Trunkline
  module Postgres
    # What the lexer does not know is parsed by the server before it is refused: where it is no SQL, the server's syntax error says so. Parsing
    # executes nothing, and leaves nothing on a connection that others share.
    class SyntaxCheck < Executor # :nodoc:
      # Seconds for the server; as long as {Future} waits for a cancel.
      MOST = 5.0
      private_constant :MOST

      # @param pool [Pool]
      # @param responses [ResponseReader]
      def initialize(pool, responses)
        super({}, {}, responses, nil)
        @pool = pool
      end

      # @param statement [Statement] to be refused
      # @raise [SyntaxError] the server's
      def check(statement)
        Deadlines.hold(Deadlines.in(MOST)) { learn(Request.describe(statement).unnamed!) }
      rescue SyntaxError
        raise
      rescue Error
        nil # whatever else is in the way, it is refused
      end

      def perform(request) = @pool.perform(request)
    end
    private_constant :SyntaxCheck
  end
end
