# frozen_string_literal: true

require "delegate"

module Trunkline
  module Postgres
    # A client or session with defaults of its own for the options of each query; for everything else the one it was made
    # of. Costs nothing to make.
    #
    # @see Querying#with
    class Scope < SimpleDelegator
      include Querying

      def initialize(base, answers, result_class, deadline: nil, idempotent: nil, prepare: nil, decode: nil) # :nodoc:
        super(base)
        @statements = base.statements_for(decode ? Decoding.of(decode) : base.decoding, nil)
        @answers = answers
        @result_class = result_class
        @defaults = { deadline: deadline, idempotent: idempotent, prepare: prepare, decode: decode }.freeze
        @unnamed = prepare == false
        @deadline = deadline # these two are what Querying falls back on
        @idempotent = idempotent
      end

      # @yieldparam session [Scope] the session, with the same defaults
      # @see Client#session
      def session = __getobj__.session { |session| yield within(session) }

      # @yieldparam transaction [Scope] the transaction, with the same defaults
      # @see Client#transaction
      def transaction(**options) = __getobj__.transaction(**options) { |transaction| yield within(transaction) }

      def perform(request) = __getobj__.perform(@unnamed ? request.unnamed! : request) # :nodoc:
      def dispatch(request) = __getobj__.dispatch(@unnamed ? request.unnamed! : request) # :nodoc:

      private

      # What is not given again stays as it is.
      def scope(result_class, **options) = observe(Scope.new(__getobj__, @answers, result_class, **@defaults, **options))

      def within(session) = observe(Scope.new(session, @answers, @result_class, **@defaults))
    end
  end
end
