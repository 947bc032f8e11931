# frozen_string_literal: true

module Trunkline
  module Postgres
    # What differs in a client with middlewares, and in its sessions, transactions and scopes: their methods for single statements call these. It
    # extends those objects, so that others have no cost; {InstrumentedExecutor} does the rest.
    module Instrumented # :nodoc:
      def query(sql, *parameters, **options) = @executor.around_statement(:query, sql, parameters) { super }
      def value(sql, *parameters, **options) = @executor.around_statement(:query, sql, parameters) { super }
      def async(sql, *parameters, **options) = @executor.around_statement(:async, sql, parameters) { super }

      # With settings or a role, a scope runs the batch, and calls the middlewares.
      def batch(settings: nil, role: nil, **options, &block)
        settings || role ? once(settings, role).observed(@executor).batch(**options, &block) : super(**options, &block)
      end

      # One operation from its first row to its last one, or until its block is left. An Enumerator calls this again.
      def stream(sql, *parameters, **options)
        return super unless block_given?

        @executor.around_statement(:stream, sql, parameters) do |operation|
          super(sql, *parameters, **options) do |row|
            operation.count_row
            yield row
          end
        end
      end
    end
    private_constant :Instrumented
  end
end
