# frozen_string_literal: true

require_relative "../request/executor"
require_relative "../request/local_settings"

module Trunkline
  module Postgres
    # Sends requests with settings, a role or a shared flush of their own: they are those of the client, session or transaction that they are
    # made on, and take these along.
    class LocalExecutor < Executor # :nodoc:
      # How a write is committed, as it is to share a flush: as the client says, or whatever the client says.
      COMMITS = { nil => :usual, true => :together, false => :apart }.compare_by_identity.freeze
      private_constant :COMMITS

      # @param base [Executor] of the client, session or transaction
      # @param statements [Hash{String => Statement}] as SQL means it under the settings
      # @param decoding [Hash]
      # @param object [LocalCall, Scope]
      # @param local [LocalSettings, nil]
      # @param group_commit [Boolean, nil]
      # @param unnamed [Boolean] whether no connection keeps its statements
      def initialize(base, statements, decoding, object, local, group_commit, unnamed)
        super(statements, decoding, base.responses, object)
        @base = base
        @local = local
        @commit = COMMITS.fetch(group_commit) { raise ArgumentError, "group_commit must be true, false or nil, not #{Argument.shown(group_commit)}" }
        @unnamed = unnamed
      end

      def perform(request)
        prepare_once(request) if @unnamed
        request = @base.localized(request, @local) if @local
        case @commit
        when :usual then @base.perform(request)
        when :together then @base.commit_together(request)
        else @base.commit_apart(request)
        end
      end

      def dispatch(request)
        prepare_once(request) if @unnamed
        @base.dispatch(@local ? @base.localized(request, @local) : request)
      end

      def begins_elsewhere?(request) = @base.begins_elsewhere?(request)
      def holds_connection? = @base.holds_connection?
      def statements_for(decoding, context) = @base.statements_for(decoding, context)
      def parse_context = @local&.context

      # What runs in a transaction of its own for them has that on the same connection.
      #
      # @param block [Proc, nil] as of {ClientExecutor#own_session}
      # @yieldparam session [SessionExecutor]
      def own_session(block, &work)
        @base.own_session(block) { |session| @local ? session.localize(@local, &work) : work.call(session) }
      end

      # As {ClientExecutor#transaction}; it begins with the settings.
      #
      # @yieldparam transaction [TransactionExecutor]
      def transaction(options, block)
        @base.transaction(options, block) do |transaction|
          transaction.begin_with(@local) if @local
          yield transaction
        end
      end

      # As {ClientExecutor#session}.
      def session(block, &) = @base.session(block, &)

      # @raise [SharedStateError] there are settings or a role, which only a transaction that was begun with them hands down
      def check_script(sql)
        @base.localized(Request.script(Statements.text(sql)), @local) if @local
      end

      private

      def prepare_once(request) = (members = request.members) ? members.each(&:unnamed!) : request.unnamed!
    end
    private_constant :LocalExecutor
  end
end
