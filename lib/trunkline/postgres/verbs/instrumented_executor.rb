# frozen_string_literal: true

require_relative "../../operation"
require_relative "instrumented"
require_relative "instrumented_flow"

module Trunkline
  module Postgres
    # What differs in the executor of an object with middlewares: its operations go through these, and answers are noted on the current operation of
    # the calling fiber. It extends the executors of such objects, so that others have no cost.
    module InstrumentedExecutor # :nodoc:
      # The methods of {Middlewares} for kinds whose method is not `query`.
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

      # Notes the answer on the fiber's current operation.
      def note(request)
        return unless (operation = Operation.current)

        (request.members || [request]).each { |answered| operation.took(answered) if answered.done? }
      end

      def around(operation) = responses.middlewares.around(operation) { yield operation }
    end
    private_constant :InstrumentedExecutor
  end
end
