# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    # What a client with middlewares does differently, by the methods that its modules have: a method that nothing calls would let calls pass by
    # the middlewares unseen.
    class OperationsTest < TestCase
      INSTRUMENTED, INSTRUMENTED_EXECUTOR, EXECUTOR, SESSION_EXECUTOR = %i[Instrumented InstrumentedExecutor Executor SessionExecutor].map { |name| Postgres.const_get(name) }
      VERBS = %i[query value async batch stream].freeze
      OPERATIONS = %i[around_statement around_batch around_transaction around_connect].freeze
      REQUESTS = %i[perform fetch observe].freeze # how these travel, and what sends them on its own
      private_constant :INSTRUMENTED, :INSTRUMENTED_EXECUTOR, :EXECUTOR, :SESSION_EXECUTOR, :VERBS, :OPERATIONS, :REQUESTS

      def test_it_has_the_verbs_the_operations_and_how_requests_travel
        assert_equal VERBS.sort, INSTRUMENTED.instance_methods(false).sort
        assert_empty INSTRUMENTED.private_instance_methods(false)
        assert_equal [*OPERATIONS, *REQUESTS].sort, INSTRUMENTED_EXECUTOR.instance_methods(false).sort
      end

      def test_what_it_goes_around_is_there
        VERBS.each { |name| [Client, Session, Transaction, Scope].each { |host| assert host.method_defined?(name), "#{host}##{name}" } }
        OPERATIONS.each { |name| assert EXECUTOR.method_defined?(name, false), name }
        REQUESTS.each { |name| assert SESSION_EXECUTOR.method_defined?(name), name }
        INSTRUMENTED_EXECUTOR.private_instance_methods(false).each { |name| refute SESSION_EXECUTOR.private_method_defined?(name), name }
      end
    end
  end
end
