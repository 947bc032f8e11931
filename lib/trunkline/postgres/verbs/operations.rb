# frozen_string_literal: true

module Trunkline
  module Postgres
    # Where the operations of a client begin and end, but for single queries: these run a block, which is one. With middlewares it goes through
    # these: {Instrumented} has the same methods, and the verbs call no others for it.
    module Operations # :nodoc:
      private

      # Of this kind, as {Operation#kind} has it.
      def around_statement(_kind, _sql) = yield

      # Of several calls, a statement and its parameters each.
      def around_batch(_calls) = yield

      # Of a transaction with these options.
      def around_transaction(_options) = yield
      def around_connect = yield
    end
    private_constant :Operations
  end
end
