# frozen_string_literal: true

require_relative "../request/executor"
require_relative "../request/local_settings"

module Trunkline
  module Postgres
    # Sends the requests of a client, session or transaction with additional settings, a role or group_commit.
    class LocalExecutor < Executor # :nodoc:
      # How a write is committed, by the value of group_commit: as the client does, or always together or apart.
      COMMITS = { nil => :usual, true => :together, false => :apart }.compare_by_identity.freeze
      private_constant :COMMITS

      # @param base [Executor] of the client, session or transaction
      # @param statements [Hash{String => Statement}] with the parse context of the settings
      # @param decoding [Hash]
      # @param object [LocalCall, Scope]
      # @param local [LocalSettings, nil]
      # @param group_commit [Boolean, nil]
      # @param unnamed [Boolean] whether its statements are prepared without a name
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
        else @base.commit_separately(request)
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

      # A session for the settings' own transaction is the same connection.
      # The session of the base; with settings, a transaction that is begun with them runs in it.
      # @param block [Proc, nil] as in {ClientExecutor#own_session}
      # @yieldparam session [SessionExecutor]
      def own_session(block, &work)
        @base.own_session(block) { |session| @local ? session.localize(@local, &work) : work.call(session) }
      end

      # The same as {ClientExecutor#transaction}, begun with the settings.
      #
      # @yieldparam transaction [TransactionExecutor]
      def transaction(options, block)
        @base.transaction(options, block) do |transaction|
          transaction.begin_with(@local) if @local
          yield transaction
        end
      end

      # The same as {ClientExecutor#session}.
      def session(block, &) = @base.session(block, &)

      # @raise [SharedStateError] there are settings or a role, which only a transaction that was begun with them passes on
      def check_script(sql)
        @base.localized(Request.script(Statements.text(sql)), @local) if @local
      end

      private

      def prepare_once(request) = (members = request.members) ? members.each(&:unnamed!) : request.unnamed!
    end
    private_constant :LocalExecutor
  end
end
