# frozen_string_literal: true

require_relative "../copy/copy"
require_relative "../copy/copy_source"
require_relative "../request/request"

module Trunkline
  module Postgres
    # One COPY of a session, from the look-up of its columns to its end.
    class SessionCopy # :nodoc:
      # @param session [SessionExecutor]
      # @param responses [ResponseReader] of the session
      # @param sql [String]
      # @param direction [:in, :out] which the caller expects
      # @raise [ArgumentError] the SQL is not COPY FROM STDIN or TO STDOUT
      def initialize(session, responses, sql, direction)
        @session = session
        @source = CopySource.new(session.statements[Statements.text(sql)], responses)
        @direction = direction
      end

      # Runs the block between the COPY's beginning and end. If the block does not end normally, the COPY has no effect.
      #
      # @param deadline [Numeric, nil] seconds for all of it
      # @param described [Boolean] whether rows are Arrays, for which the columns' types are described
      # @yieldparam copy [Copy]
      # @yieldparam source [CopySource]
      # @return [Integer] rows that were copied
      def run(deadline:, described:)
        @source.check_plain if described && @direction == :out
        describe_columns if described && @source.plain?
        copy = @session.begin_copy(@source, deadline)
        copy.check_direction(@direction)
        yield copy, @source
        completed = copy.finish
      ensure
        copy&.abort unless completed
      end

      private

      def describe_columns
        @source.describe(@session.perform_until_answered(Request.describe(@session.statements[@source.equivalent])))
        @source.prepare_rows if @direction == :in
      end
    end
    private_constant :SessionCopy
  end
end
