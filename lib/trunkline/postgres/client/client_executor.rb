# frozen_string_literal: true

require_relative "../request/executor"
require_relative "../request/syntax_check"
require_relative "../session/session"
require_relative "../session/transaction_runner"
require_relative "../statements/sharing_errors"
require_relative "../verbs/instrumented_executor"

module Trunkline
  module Postgres
    # Sends the requests of a client: over the session that the caller holds, or else over the connections that all callers share. A caller that
    # holds a session asks there: otherwise it would not see its own changes, and could wait for itself.
    class ClientExecutor < Executor # :nodoc:
      # @param client [Client]
      # @param config [Config]
      # @param known [Statements]
      # @param decoding [Hash]
      # @param responses [ResponseReader]
      # @param result_class [Class]
      # @param pool [Pool] of the usual connections
      # @param sessions [Sessions]
      # @param roles [RoleWatch]
      # @param group_commit [GroupCommit]
      # @param shares_flushes [Boolean] whether all writes share their flush
      # @param detection [Detection, nil] nil: which functions keep state is not looked up
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
        @syntax = SyntaxCheck.new(pool, responses)
      end

      # @return [Boolean]
      def closed? = @pool.closed?

      # Sends the request and waits for its answer, or for what comes in its place.
      def perform(request)
        look_again(request) if @detection&.outdated? && !@sessions.held
        return commit_together(request) if @shares_flushes && @group_commit.write?(request)
        return @pool.perform(request) unless @sessions.used && !ScopedValue.none? && (held = @sessions.held)

        held.perform(request)
      end

      # A write that has a commit of its own, whatever the client says of its writes.
      def commit_apart(request)
        look_again(request) if @detection&.outdated? && !@sessions.held
        (held = @sessions.held) ? held.perform(request) : @pool.perform(request)
      end

      # A write that may share its flush.
      def commit_together(request)
        look_again(request) if @detection&.outdated? && !@sessions.held
        (held = @sessions.held) ? held.perform(request) : @group_commit.perform(request)
      end

      # Sends the request and does not wait for its answer.
      #
      # @return [#await, #cancel] by which it is waited for
      def dispatch(request)
        look_again(request) if @detection&.outdated? && !@sessions.held
        held = @sessions.held
        held ? held.dispatch(request) : @pool.dispatch(request)
      end

      def holds_connection? = !@sessions.held.nil?
      def within_transaction? = !!@sessions.held&.in_transaction?
      def begins_elsewhere?(request) = request.pinned? ? !!@sessions.held&.begins_elsewhere?(request) : @roles.move

      # @param local [LocalSettings]
      # @return [Request] the same, which is to be carried out with them
      def localized(request, local) = (held = @sessions.held) ? held.localized(request, local) : local.attach(request, @config.server)

      # @return [Hash{String => Statement}] for callers that decode so, and read SQL in that context
      def statements_for(decoding, context) = @known.shared_table(decoding, context)

      # Runs the block with a session for what cannot share, which the caller does not hold: what it asks meanwhile goes elsewhere.
      #
      # @param callers_block [Proc, nil] to tell what holds it
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
          session.lease.stateful! # whatever its statements look like: they may call what leaves something behind
          session.lease.pooler_check.go_direct
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

      # A caller that holds a session may do there what it likes.
      #
      # @raise [SharedStateError] the statement would leave something behind on a connection that others share
      def check_sharing(statement)
        if @detection
          renew if @detection.outdated? && !@sessions.held
          return if statement.shareable?
        end
        return if @sessions.held

        @syntax.check(statement) if statement.classification == :unknown
        raise SharingErrors.refusal(statement, @config.server)
      end

      # Runs what {Detection} asks, on the shared connections: what asks within a session goes there, which is reset, and may have the only one.
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

      # What was looked up for the request may have been classified before.
      def look_again(request)
        renew
        (request.members || [request]).each { |member| check_sharing(member.statement) if member.statement && !member.statement.shareable? }
      end
    end
    private_constant :ClientExecutor
  end
end
