# frozen_string_literal: true

require_relative "../../operation"
require_relative "instrumented_flow"

module Trunkline
  module Postgres
    # What a client with middlewares does differently, and with it the sessions, transactions and scopes that it makes: its
    # calls go through them. It extends those objects, so that others pay nothing for it: their verbs for single statements, the methods of
    # {Operations}, `perform` and `fetch`, by which requests travel, and `observe`, which is given what asks on its own.
    module Instrumented # :nodoc:
      def query(sql, *parameters, **options) = statement(:query, sql, parameters) { super }
      def value(sql, *parameters, **options) = statement(:query, sql, parameters) { super }
      def async(sql, *parameters, **options) = statement(:async, sql, parameters, hook: :async) { super }

      # With settings or a role it is a scope's, which is observed for its sake.
      def batch(settings: nil, role: nil, **options, &block)
        settings || role ? observe(once(settings, role)).batch(**options, &block) : super(**options, &block)
      end

      # One query from its first row to its last one, or until its block is left. An Enumerator calls this again.
      def stream(sql, *parameters, **options)
        return super unless block_given?

        statement(:stream, sql, parameters) do |operation|
          super(sql, *parameters, **options) do |row|
            operation.count_row
            yield row
          end
        end
      end

      private

      # Of adapters.
      def ask(sql, parameters, **options) = statement(:query, sql, parameters) { super }

      def perform(request)
        super.tap { note(request) }
      end

      # More rows of a stream in a transaction.
      def fetch(request)
        super.tap { note(request) }
      end

      # What was answered belongs to the call that the fiber is at.
      def note(request)
        return unless (operation = Operation.current)

        (request.members || [request]).each { |answered| operation.took(answered) if answered.done? }
      end

      def around(operation) = @responses.middlewares.around(operation) { yield operation }

      def statement(kind, sql, parameters, hook: :query, &call)
        around(Operation.new(kind, @responses.server, sql, parameters, hook: hook, arguments: [sql, parameters, @responses.server]), &call)
      end

      def observe(made)
        Internals.new(made).lease.flow.extend(InstrumentedFlow) if made.is_a?(Session)
        made.extend(Instrumented)
        made.singleton_class.class_eval { public :ask, :perform } if made.is_a?(VirtualSession) # which no user holds, and others ask
        made
      end

      def around_connect(&) = around(Operation.new(:connect, @responses.server, hook: :connect, arguments: [@responses.server]), &)
      def around_statement(kind, sql, &) = statement(kind, sql, [], &)

      def around_batch(calls, &)
        queries = calls.map { |statement, parameters| [statement.sql, parameters] }
        text = queries.map(&:first).join("; ")
        around(Operation.new(:batch, @responses.server, text, queries.flat_map(&:last), hook: :batch, arguments: [queries, @responses.server]), &)
      end

      def around_transaction(options, &)
        around(Operation.new(:transaction, @responses.server, hook: :transaction, arguments: [options, @responses.server]), &)
      end
    end
    private_constant :Instrumented
  end
end
