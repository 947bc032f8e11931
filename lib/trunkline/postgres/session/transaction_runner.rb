# frozen_string_literal: true

require_relative "../../trunk/loss"
require_relative "../verbs/unknown_keywords"
require_relative "suspected_types"
require_relative "transaction_mode"

module Trunkline
  module Postgres
    # Runs a transaction with its caller's options: how it begins, how often it is tried, and what runs after its commit.
    class TransactionRunner # :nodoc:
      # The server aborted the transaction because of another one: https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html
      RETRYABLE = %w[40001 40P01].freeze
      # Upper bounds in seconds of the pauses before a second attempt and before any attempt. Their length is random, or transactions that conflicted
      # would conflict again. 16 threads that increment one row in serializable transactions need 1.25 attempts for a commit; with half of the first
      # pause 1.39, with a quarter 1.54, and with double 1.17 (400 commits each, load 10). The longest is a bound, which the seventh pause reaches.
      FIRST_PAUSE = 0.02
      LONGEST_PAUSE = 1.0
      private_constant :RETRYABLE, :FIRST_PAUSE, :LONGEST_PAUSE

      # Runs the block, a whole transaction, as often as its options allow.
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

      # @return [Array<#call>] to run after the commit
      attr_reader :callbacks

      # @return [SuspectedTypes, nil] of the statement that failed last, to be checked after the end of the transaction
      attr_reader :suspected_types

      # @raise [ArgumentError] an invalid option
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

      # @param request [Request, nil] after which the transaction, or a savepoint in it, is rolled back
      def suspect(request) = @suspected_types = SuspectedTypes.of(request) || @suspected_types

      # The server has confirmed the commit.
      def committed! = @committed = true

      # Runs the block, a whole transaction, until no other attempt is useful.
      def run
        tries = 0
        begin
          @callbacks.clear
          yield
        rescue ServerError => error
          raise if @committed || tries == @retries || !RETRYABLE.include?(error.sqlstate)

          pause_before(tries += 1)
          retry
        end
      ensure
        @callbacks.each(&:call) if @committed
      end

      private

      # @raise [Closed] the process has forked meanwhile, and this is the copy in the child: the transaction is the parent's
      def pause_before(attempt)
        generation = Trunkline.process_generation
        sleep(pause(attempt - 1))
        raise Closed, Loss::INHERITED unless generation == Trunkline.process_generation
      end

      def pause(tries) = rand * [FIRST_PAUSE * (2**tries), LONGEST_PAUSE].min
    end
    private_constant :TransactionRunner
  end
end
