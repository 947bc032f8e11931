# frozen_string_literal: true

module Trunkline
  module Postgres
    # What a client with middlewares does differently, and with it the sessions, transactions and scopes that it makes: its
    # calls go through them. It extends those objects, so that others pay nothing for it.
    module Observed # :nodoc:
      def query(sql, *parameters, **options) = middlewares.query(sql, parameters, @answers.server) { super }
      def value(sql, *parameters, **options) = middlewares.query(sql, parameters, @answers.server) { super }
      def async(sql, *parameters, **options) = middlewares.async(sql, parameters, @answers.server) { super }

      private

      def middlewares = @answers.middlewares
      def observe(made) = made.extend(Observed)

      def connect(pool) = middlewares.connect(@answers.server) { super }
      def run_script(sql) = middlewares.query(sql, [], @answers.server) { super }
      def run_order(options, &attempt) = middlewares.transaction(options, @answers.server) { super }
    end
    private_constant :Observed
  end
end
