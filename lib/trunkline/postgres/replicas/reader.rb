# frozen_string_literal: true

require_relative "../request/internals"
require_relative "../session/session"
require_relative "../verbs/querying"
require_relative "../verbs/streaming"
require_relative "replica_set"
require_relative "server_lease"

module Trunkline
  module Postgres
    # The replicas of a client, for reads: what {Client#replica} returns. Each read goes to the replica from which its answer is expected first, and is
    # sent again, to another one, when that is lost: it may be carried out twice. Costs little to make, and may be kept.
    class Reader
      include Querying
      include Streaming

      # @param client [Internals] of the client
      # @param set [ReplicaSet]
      # @param guard [ReadGuard]
      # @param sessions [Sessions] on the primary
      # @param known [Statements] of the client
      # @param decoding [Hash] of the client
      # @param responses [ResponseReader] of the client
      # @param result_class [Class] of the client
      # @param hedge [Boolean] whether reads that are late are sent to a second replica
      def initialize(client, set, guard, sessions, known:, decoding:, responses:, result_class:, hedge: false) # :nodoc:
        @client = client
        @set = set
        @guard = guard
        @sessions = sessions
        @known = known
        @decoding = decoding
        @responses = responses
        @result_class = result_class
        @hedge = hedge
        @statements = statements_for(decoding, nil)
      end

      # Runs the block in a transaction on one replica, or on the primary where none suits, read-only: all its reads see what one server has. With
      # `after:` or `max_lag:` each sees what was committed before it begins, as READ COMMITTED does.
      #
      # @param options [Hash] as for {Client#transaction}, without read_only
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned
      # @raise [ArgumentError] with `after:` or `max_lag:`, another isolation is asked for: its snapshot would be older than what was compared
      # @raise [Error] as {Client#transaction}
      def transaction(isolation: nil, **options, &block)
        raise ArgumentError, "transaction takes a block: transaction { |tx| ... }" unless block
        if guard.sql && ![nil, :read_committed, :read_uncommitted].include?(isolation)
          raise ArgumentError, "db.replica with after: or max_lag: needs READ COMMITTED, and #{isolation} was asked for: its snapshot would be " \
                               "older than what the replica is compared with"
        end
        on_one_server(block) do |session, admitted|
          session.object.transaction(**options, isolation: guard.sql ? :read_committed : isolation, read_only: true) do |transaction|
            admitted.call
            yield transaction
          end
        end
      end

      # @return [String] the server, and what its reads ask of a replica
      def inspect = "#<#{self.class} #{@responses.server} #{guard.inspect}>"

      private

      attr_reader :decoding, :guard

      def statements_for(decoding, context) = @known.shared_table(decoding, context)
      def holds_connection? = false
      def observe(made) = @client.observe(made)
      def perform(request) = @set.perform(admitted(request), guard, false, @hedge)
      def dispatch(request) = @set.perform(admitted(request), guard, true)
      def localized(request, local) = local.attach(request, @responses.server)
      alias commit_apart perform

      # A caller that holds a session of the client may ask there what does not share, and not here.
      #
      # @return [Request] the same
      # @raise [SharedStateError]
      def admitted(request)
        keeping = (request.members || [request]).find { |query| query.statement && !query.statement.shareable? }
        raise SharingErrors.refusal(keeping.statement, @responses.server) if keeping

        request
      end

      # What comes in portions.
      def own_session(callers_block)
        on_one_server(callers_block) do |session, admitted|
          session.object.transaction(isolation: :read_committed, read_only: true) do
            admitted.call
            yield session
          end
        end
      end

      # Runs the block with a session on a replica, or on the primary where none suits. Until the server has admitted it, another one may take it.
      #
      # @param callers_block [Proc, nil] to tell what holds the session
      # @yieldparam session [Internals]
      # @yieldparam admitted [Proc] to be called at the beginning of its transaction
      def on_one_server(callers_block, &work) = ServerLease.new(@set, guard, @sessions).run(->(sessions) { new_session(sessions, callers_block) }, &work)

      def new_session(sessions, callers_block)
        Internals.new(observe(Session.new(sessions.lease(callers_block), @known, @decoding, @responses, @result_class))).tap(&:lend)
      end

      def commit_together(_request)
        raise ArgumentError, "group_commit is for writes, and db.replica takes reads only: call db.query"
      end
    end
  end
end
