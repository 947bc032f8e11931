# frozen_string_literal: true

require_relative "local_executor"

module Trunkline
  module Postgres
    # One call with its own settings, role or group_commit.
    class LocalCall # :nodoc:
      include Querying

      # @param base [Executor] of the client, session or transaction whose method was called
      # @param statements [Hash{String => Statement}] with the parse context of the settings
      # @param result_class [Class]
      # @param local [LocalSettings, nil]
      # @param group_commit [Boolean, nil]
      # @param unnamed [Boolean] whether its statements are prepared without a name
      def initialize(base, statements, result_class, local, group_commit, unnamed: false)
        @statements = statements
        @result_class = result_class
        @executor = LocalExecutor.new(base, statements, base.decoding, self, local, group_commit, unnamed)
      end

      # @param by [Executor] that makes it
      # @return [LocalCall] the same, with that executor's middlewares
      def observed(by) = tap { by.observe(@executor) }
    end
    private_constant :LocalCall
  end
end
