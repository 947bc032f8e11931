# frozen_string_literal: true

module Trunkline
  module Postgres
    # What clients, sessions, transactions and scopes do for other objects of this library, and what their users neither see nor can call: these
    # methods are private there, and called through here. It has no state of its own, and may be made wherever such an object is at hand.
    class Internals # :nodoc:
      # Of which a call takes what the method takes.
      RELAYED = %i[
        answer_form ask attempt begin_copy begin_with check_array_nulls copying fetch finish innermost? lend localize observe outdate_plans own_session passing
        perform_until_answered mark_stateful_for virtual_session
      ].freeze
      # Of which it takes no arguments.
      READ = %i[decoding holds_connection? in_transaction? lent? lease next_portal readers statements].freeze
      private_constant :RELAYED, :READ

      # @return [Client, Session, Transaction, Scope] as users have it
      attr_reader :object

      # @param object [Client, Session, Transaction, Scope]
      def initialize(object)
        @object = object
      end

      RELAYED.each { |name| class_eval("def #{name}(...) = @object.__send__(:#{name}, ...)", __FILE__, __LINE__) }
      READ.each { |name| class_eval("def #{name} = @object.__send__(:#{name})", __FILE__, __LINE__) }

      # Sends the request the way that its object's requests go, and waits for its answer.
      def perform(request) = @object.__send__(:perform, request)

      # Sends the request and does not wait for its answer.
      #
      # @return [#await, #cancel] by which it is waited for
      def dispatch(request) = @object.__send__(:dispatch, request)

      # As perform, with settings of its own.
      #
      # @param local [LocalSettings, nil]
      # @param way [Symbol] :perform, or for a write :commit_together, which shares its flush, or :commit_apart, which does not
      def perform_with(local, way, request) = @object.__send__(way, local ? @object.__send__(:localized, request, local) : request)

      # As dispatch, with settings of its own.
      def dispatch_with(local, request) = @object.__send__(:dispatch, local ? @object.__send__(:localized, request, local) : request)

      # @return [Boolean] whether a request that was refused as its server is read-only may go over another connection
      def begins_elsewhere?(request) = @object.__send__(:begins_elsewhere?, request)

      # @param local [LocalSettings]
      # @return [Request] the same, which is to be carried out with them
      def localized(request, local) = @object.__send__(:localized, request, local)

      # A command of this library's own, which leaves nothing behind.
      #
      # @return [Request] answered
      def command(sql) = @object.__send__(:command, sql)

      # @return [Hash{String => Statement}] for callers that decode so, and read SQL in that context
      def statements_for(decoding, context) = @object.__send__(:statements_for, decoding, context)

      # @return [String] the name of the server
      def server = @object.__send__(:server)
    end
  end
end
