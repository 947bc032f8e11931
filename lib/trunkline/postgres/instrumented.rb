# frozen_string_literal: true

module Trunkline
  module Postgres
    # What a client with middlewares does differently, and with it the sessions, transactions and scopes that it makes: its
    # calls go through them. It extends those objects, so that others pay nothing for it.
    module Instrumented # :nodoc:
      def query(sql, *parameters, **options) = middlewares.query(sql, parameters, @answers.server) { super }
      def value(sql, *parameters, **options) = middlewares.query(sql, parameters, @answers.server) { super }
      def ask(sql, parameters, **options) = middlewares.query(sql, parameters, @answers.server) { super }
      def async(sql, *parameters, **options) = middlewares.async(sql, parameters, @answers.server) { super }

      # With settings or a role it is a scope's, which is observed for its sake.
      def batch(settings: nil, role: nil, **options, &block)
        settings || role ? observe(once(settings, role)).batch(**options, &block) : super(**options, &block)
      end

      # One query from its first row to its last one, or until its block is left. An Enumerator calls this again.
      def stream(sql, *parameters, **options, &block)
        block ? middlewares.query(sql, parameters, @answers.server) { super } : super
      end

      # Of sessions: COPY in either direction is one query, whatever goes through it.
      def copying(sql, direction, **options) = middlewares.query(sql, [], @answers.server) { super }

      private

      def middlewares = @answers.middlewares
      def observe(made) = made.extend(Instrumented)

      def connect(pool) = middlewares.connect(@answers.server) { super }
      def subscribe(subscription)
        sql = subscription.channels.map { |channel| "LISTEN #{escape_identifier(channel)}" }.join("; ")
        middlewares.query(sql, [], @answers.server) { super }
      end

      def run_script(sql) = middlewares.query(sql, [], @answers.server) { super }
      def conclude_batch(calls, atomic, idempotent)
        queries = calls.map { |statement, parameters| [statement.sql, parameters] }
        middlewares.batch(queries, @answers.server) { super }
      end

      def run_order(options, &attempt) = middlewares.transaction(options, @answers.server) { super }
    end
    private_constant :Instrumented
  end
end
