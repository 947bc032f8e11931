# frozen_string_literal: true

require_relative "../request/executor"
require_relative "../request/syntax_check"
require_relative "../session/session"
require_relative "../session/transaction_runner"
require_relative "../statements/sharing_errors"
require_relative "../verbs/instrumented_executor"

module Trunkline
  module Postgres
    # Sends the requests of a client, over the session that the caller holds, or else over the shared connections. A caller that holds a session must
    # use it: otherwise it would not see its own changes, and could wait for itself.
    class ClientExecutor < Executor # :nodoc:
      # @param client [Client]
      # @param config [Config]
      # @param known [Statements]
      # @param decoding [Hash]
      # @param responses [ResponseReader]
      # @param result_class [Class]
      # @param pool [Pool] of the shared connections
      # @param sessions [Sessions]
      # @param roles [RoleWatch]
      # @param group_commit [GroupCommit]
      # @param shares_flushes [Boolean] whether all writes share their flush
      # @param detection [Detection, nil] nil: functions that keep state are not looked up
      def initialize(client, config, known, decoding, responses, result_class, pool:, sessions:, roles:, group_commit:, shares_flushes:, detection:)
        super(known.shared_table(decoding, nil), decoding, responses, client)
        @config = config
        @known = known
        @result_class = result_class
        @pool = pool
        @sessions = sessions
        @roles = roles
        @group_commit = group_commit
        @shares_flushes = shares_flushes
        @detection = detection
        @checked = shares_flushes || detection # requests are checked before they are sent
        @syntax = SyntaxCheck.new(pool, responses)
      end

      # @return [Boolean]
      def closed? = @pool.closed?

      # Sends the request and waits for its answer, or for its failure.
      def perform(request)
        if @checked
          reclassify(request) if @detection&.outdated? && !@sessions.held
          return commit_together(request) if @shares_flushes && @group_commit.write?(request)
        end
        return @pool.perform(request) unless @sessions.used && !ScopedValue.none? && (held = @sessions.held)

        held.perform(request)
      end

      # Performs a write with a commit of its own, even if the client groups commits.
      def commit_separately(request)
        reclassify(request) if @detection&.outdated? && !@sessions.held
        (held = @sessions.held) ? held.perform(request) : @pool.perform(request)
      end

      # Performs a write whose commit may share its flush.
      def commit_together(request)
        reclassify(request) if @detection&.outdated? && !@sessions.held
        (held = @sessions.held) ? held.perform(request) : @group_commit.perform(request)
      end

      # Sends the request without waiting for its answer.
      #
      # @return [#await, #cancel] for the answer
      def dispatch(request)
        reclassify(request) if @detection&.outdated? && !@sessions.held
        held = @sessions.held
        held ? held.dispatch(request) : @pool.dispatch(request)
      end

      def holds_connection? = !@sessions.held.nil?
      def within_transaction? = !!@sessions.held&.in_transaction?
      def begins_elsewhere?(request) = request.pinned? ? !!@sessions.held&.begins_elsewhere?(request) : @roles.leave_read_only_servers

      # @param local [LocalSettings]
      # @return [Request] the same, to be executed with these settings
      def localized(request, local) = (held = @sessions.held) ? held.localized(request, local) : local.attach(request, @config.server)

      # @return [Hash{String => Statement}] for callers that decode by `decoding`, and whose SQL is parsed in `context`
      def statements_for(decoding, context) = @known.shared_table(decoding, context)

      # Runs the block with a new session, for what cannot be shared. The caller does not hold it: its other queries meanwhile go elsewhere.
      #
      # @param callers_block [Proc, nil] names the holder in errors
      # @yieldparam session [SessionExecutor]
      def own_session(callers_block)
        held = @sessions.held
        return yield(held) if held

        @sessions.lend(new_session(callers_block).tap(&:lend)) { |session| yield session }
      end

      # As {Client#session}.
      #
      # @param callers_block [Proc]
      # @yieldparam session [SessionExecutor]
      def session(callers_block)
        held = @sessions.held
        return yield(held) if held

        hold(callers_block) do |session|
          session.lease.stateful! # its statements may call functions that leave session state, whatever their text
          session.lease.pooler_check.use_session_url
          yield session
        end
      end

      # As {Client#transaction}.
      #
      # @param options [Hash]
      # @param callers_block [Proc]
      # @yieldparam transaction [TransactionExecutor]
      def transaction(options, callers_block, &block)
        held = @sessions.held
        return held.transaction(options, callers_block, &block) if held

        TransactionRunner.run(self, options) { |order| hold(callers_block) { |session| session.attempt(order, &block) } }
      end

      # Does not restrict a caller that holds a session.
      #
      # @raise [SharedStateError] the statement would leave session state on a shared connection
      def check_sharing(statement)
        if @detection
          renew if @detection.outdated? && !@sessions.held
          return if statement.shareable?
        end
        return if @sessions.held

        @syntax.check(statement) if statement.classification == :unknown
        raise SharingErrors.refusal(statement, @config.server)
      end

      # Runs the queries of {Detection} on the shared connections: a query within a session would run there, where statements are prepared for that
      # caller, and which may hold the only connection.
      #
      # @return [Array<Hash>] rows of the script's last statement
      def query_catalogue(script)
        request = Request.script(script)
        @pool.perform(request)
        raise @responses.error(request) unless request.answered?

        @responses.results(request, Result).last.to_a
      end

      private

      def new_session(callers_block)
        renew if @detection&.outdated?
        SessionExecutor.new(@sessions.lease(callers_block), @known, @decoding, @responses, @result_class).tap { |session| observe(session) }
      end

      def hold(callers_block, &) = @sessions.hold(new_session(callers_block), &)
      def renew = @detection.renew && @known.classify_again

      # Objects that were looked up for the request may change the classification of its statement.
      def reclassify(request)
        renew
        (request.members || [request]).each { |member| check_sharing(member.statement) if member.statement && !member.statement.shareable? }
      end
    end
    private_constant :ClientExecutor
  end
end
