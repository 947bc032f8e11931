# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    # What a client with middlewares does differently, by the methods that its module has: a method that no verb calls would let calls pass by the
    # middlewares unseen.
    class OperationsTest < TestCase
      INSTRUMENTED, OPERATIONS, VIRTUAL_SESSION = %i[Instrumented Operations VirtualSession].map { |name| Postgres.const_get(name) }
      VERBS = %i[query value async batch stream].freeze
      REQUESTS = %i[ask perform fetch observe].freeze # how these travel, and what sends them on its own
      HELPERS = %i[note around statement].freeze
      private_constant :INSTRUMENTED, :OPERATIONS, :VIRTUAL_SESSION, :VERBS, :REQUESTS, :HELPERS

      def test_it_has_public_verbs_the_operations_and_how_requests_travel
        assert_equal VERBS.sort, INSTRUMENTED.instance_methods(false).sort
        assert_equal [*OPERATIONS.private_instance_methods(false), *REQUESTS, *HELPERS].sort, INSTRUMENTED.private_instance_methods(false).sort
      end

      def test_what_it_goes_around_is_there
        hosts = [Client, Session, Transaction, Scope, VIRTUAL_SESSION]
        [*VERBS, *REQUESTS, *OPERATIONS.private_instance_methods(false)].each do |name|
          assert hosts.any? { |host| host.method_defined?(name) || host.private_method_defined?(name) }, name
        end
        HELPERS.each { |name| refute hosts.any? { |host| host.method_defined?(name) || host.private_method_defined?(name) }, name }
      end
    end
  end
end
