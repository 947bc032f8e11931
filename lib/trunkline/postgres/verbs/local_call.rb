# frozen_string_literal: true

require_relative "local_executor"

module Trunkline
  module Postgres
    # One call with settings, a role or a shared flush of its own.
    class LocalCall # :nodoc:
      include Querying

      # @param base [Executor] of the client, session or transaction that it is made on
      # @param statements [Hash{String => Statement}] as SQL means it under the settings
      # @param result_class [Class]
      # @param local [LocalSettings, nil]
      # @param group_commit [Boolean, nil]
      # @param unnamed [Boolean] whether no connection keeps its statements
      def initialize(base, statements, result_class, local, group_commit, unnamed: false)
        @statements = statements
        @result_class = result_class
        @executor = LocalExecutor.new(base, statements, base.decoding, self, local, group_commit, unnamed)
      end

      # @param by [Executor] that makes it
      # @return [LocalCall] the same, as middlewares want it
      def observed(by) = tap { by.observe(@executor) }
    end
    private_constant :LocalCall
  end
end
