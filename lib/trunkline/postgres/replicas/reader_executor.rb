# frozen_string_literal: true

require_relative "../request/executor"
require_relative "../session/session_executor"
require_relative "../statements/sharing_errors"
require_relative "reader"
require_relative "replica_set"
require_relative "server_lease"

module Trunkline
  module Postgres
    # Sends the requests of a reader to replicas, or to the primary if no replica fulfils the conditions.
    class ReaderExecutor < Executor # :nodoc:
      # @return [ReadGuard] conditions for replicas
      attr_reader :guard

      # @param client [ClientExecutor]
      # @param set [ReplicaSet]
      # @param guard [ReadGuard]
      # @param sessions [Sessions] on the primary
      # @param known [Statements] of the client
      # @param result_class [Class] of the client
      # @param hedge [Boolean] whether slow reads are sent to a second replica
      def initialize(client, set, guard, sessions, known:, result_class:, hedge: false)
        statements = known.shared_table(client.decoding, nil)
        super(statements, client.decoding, client.responses, Reader.new(self, statements, result_class))
        @client = client
        @set = set
        @guard = guard
        @sessions = sessions
        @known = known
        @result_class = result_class
        @hedge = hedge
      end

      # @return [Boolean]
      def closed? = @client.closed?

      def perform(request) = @set.perform(admitted(request), guard, false, @hedge)

      # A reader has no writes, whatever group_commit: its caller gives.
      alias commit_separately perform

      # @raise [ArgumentError]
      def commit_together(_request)
        raise ArgumentError, "group_commit is for writes, and db.replica takes reads only: call db.query"
      end

      def dispatch(request) = @set.perform(admitted(request), guard, true)
      def localized(request, local) = local.attach(request, @responses.server)
      def holds_connection? = false
      def statements_for(decoding, context) = @known.shared_table(decoding, context)
      def observe(executor) = @client.observe(executor)

      # A session for what is read in parts.
      def own_session(callers_block)
        on_one_server(callers_block) do |session, admitted|
          session.transaction({ isolation: :read_committed, read_only: true }) do
            admitted.call
            yield session
          end
        end
      end

      # As {Reader#transaction}.
      #
      # @yieldparam transaction [TransactionExecutor]
      def transaction(options, callers_block)
        isolation = options[:isolation]
        if guard.sql && ![nil, :read_committed, :read_uncommitted].include?(isolation)
          raise ArgumentError, "db.replica with after: or max_lag: needs READ COMMITTED, not #{isolation}, whose snapshot would be " \
                               "older than the check of the replica: leave out isolation:, or after: and max_lag:"
        end
        on_one_server(callers_block) do |session, admitted|
          session.transaction({ **options, isolation: guard.sql ? :read_committed : isolation, read_only: true }) do |transaction|
            admitted.call
            yield transaction
          end
        end
      end

      private

      # A caller that holds a session of the client must run there what cannot be shared, and not here.
      #
      # @return [Request] the same
      # @raise [SharedStateError]
      def admitted(request)
        keeping = (request.members || [request]).find { |query| query.statement && !query.statement.shareable? }
        raise SharingErrors.refusal(keeping.statement, @responses.server) if keeping

        request
      end

      # Runs the block with a session on a replica, or on the primary if no replica fulfils the conditions. Until a server has been admitted, another
      # may replace it.
      #
      # @param callers_block [Proc, nil] names the holder in errors
      # @yieldparam session [SessionExecutor]
      # @yieldparam admitted [Proc] to be called at the beginning of its transaction
      def on_one_server(callers_block, &work) = ServerLease.new(@set, guard, @sessions).run(->(sessions) { new_session(sessions, callers_block) }, &work)

      def new_session(sessions, callers_block)
        session = SessionExecutor.new(sessions.lease(callers_block), @known, @decoding, @responses, @result_class)
        observe(session)
        session.tap(&:lend)
      end
    end
    private_constant :ReaderExecutor
  end
end
