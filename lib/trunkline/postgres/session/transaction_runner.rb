# frozen_string_literal: true

require_relative "../verbs/unknown_keywords"
require_relative "suspected_types"
require_relative "transaction_mode"

module Trunkline
  module Postgres
    # A transaction as its caller ordered it: how it begins, how often it is tried, and what follows its commit.
    class TransactionRunner # :nodoc:
      # The server undid the transaction for the sake of another one: https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html
      RETRYABLE = %w[40001 40P01].freeze
      # Seconds: the most before a first and before any further attempt. How long it is in fact is random, or transactions that met
      # would meet again.
      FIRST_PAUSE = 0.02
      LONGEST_PAUSE = 1.0
      private_constant :RETRYABLE, :FIRST_PAUSE, :LONGEST_PAUSE

      # Runs the block, which is a whole transaction, as often as its options allow.
      #
      # @param executor [Executor] of the client or session
      # @param options [Hash] of {#initialize}
      # @yieldparam order [TransactionRunner]
      # @return [Object, nil] what the block returned
      def self.run(executor, options)
        executor.around_transaction(options) do
          order = new(**options)
          order.run { yield order }
        end
      end

      # @return [String] SQL
      attr_reader :opening

      # @return [Array<#call>] what is to follow the commit
      attr_reader :callbacks

      # @return [SuspectedTypes, nil] of the statement that failed last, behind the end of the transaction
      attr_reader :suspected_types

      # @raise [ArgumentError] an option that cannot be
      def initialize(isolation: nil, read_only: nil, deferrable: nil, retries: 0, **unknown)
        UnknownKeywords.refuse(unknown, TransactionRunner.instance_method(:initialize)) unless unknown.empty?
        unless Integer === retries && !retries.negative?
          raise ArgumentError, "retries must be an Integer of at least 0, not #{Argument.shown(retries)}"
        end

        @opening = TransactionMode.opening(isolation, read_only, deferrable)
        @retries = retries
        @callbacks = []
        @committed = false
        @suspected_types = nil
      end

      # @param request [Request, nil] behind which the transaction, or a savepoint in it, is rolled back
      def suspect(request) = @suspected_types = SuspectedTypes.of(request) || @suspected_types

      # The server has said that everything is there to stay.
      def committed! = @committed = true

      # Runs the block, which is a whole transaction, until there is no point in another attempt.
      def run
        tries = 0
        begin
          @callbacks.clear
          yield
        rescue ServerError => error
          raise if @committed || tries == @retries || !RETRYABLE.include?(error.sqlstate)

          sleep(pause(tries))
          tries += 1
          retry
        end
      ensure
        @callbacks.each(&:call) if @committed
      end

      private

      def pause(tries) = rand * [FIRST_PAUSE * (2**tries), LONGEST_PAUSE].min
    end
    private_constant :TransactionRunner
  end
end
