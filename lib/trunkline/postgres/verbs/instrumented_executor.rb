# frozen_string_literal: true

require_relative "../../operation"
require_relative "instrumented"
require_relative "instrumented_flow"

module Trunkline
  module Postgres
    # What the executor of an object with middlewares does differently: its operations go through these, and what was answered is noted on the
    # operation that the calling fiber is at. It extends the executors of such objects, so that others pay nothing for it.
    module InstrumentedExecutor # :nodoc:
      # The method of {Middlewares} for a kind that has not its own one.
      HOOKS = { async: :async }.freeze
      private_constant :HOOKS

      def perform(request)
        super.tap { note(request) }
      end

      # More rows of a stream in a transaction.
      def fetch(request)
        super.tap { note(request) }
      end

      def observe(executor) = executor.instrument

      def around_statement(kind, sql, parameters = [], &call)
        around(Operation.new(kind, responses.server, sql, parameters, hook: HOOKS.fetch(kind, :query), arguments: [sql, parameters, responses.server]), &call)
      end

      def around_connect(&) = around(Operation.new(:connect, responses.server, hook: :connect, arguments: [responses.server]), &)

      def around_batch(calls, &)
        queries = calls.map { |statement, parameters| [statement.sql, parameters] }
        text = queries.map(&:first).join("; ")
        around(Operation.new(:batch, responses.server, text, queries.flat_map(&:last), hook: :batch, arguments: [queries, responses.server]), &)
      end

      def around_transaction(options, &)
        around(Operation.new(:transaction, responses.server, hook: :transaction, arguments: [options, responses.server]), &)
      end

      private

      # What was answered belongs to the call that the fiber is at.
      def note(request)
        return unless (operation = Operation.current)

        (request.members || [request]).each { |answered| operation.took(answered) if answered.done? }
      end

      def around(operation) = responses.middlewares.around(operation) { yield operation }
    end
    private_constant :InstrumentedExecutor
  end
end
