# frozen_string_literal: true

require_relative "../copy/copying"
require_relative "../request/executor"
require_relative "../statements/sharing_errors"
require_relative "session"
require_relative "session_copy"
require_relative "transaction_executor"
require_relative "transaction_runner"

module Trunkline
  module Postgres
    # Sends the requests of a session over the connection that it leases, and tracks the open transactions and savepoints.
    class SessionExecutor < Executor # :nodoc:
      # @return [SessionLease]
      attr_reader :lease

      # @param lease [SessionLease]
      # @param known [Statements]
      # @param decoding [Hash]
      # @param responses [ResponseReader]
      # @param result_class [Class]
      def initialize(lease, known, decoding, responses, result_class)
        statements = known.table(decoding, nil)
        super(statements, decoding, responses, Session.new(self, lease, statements, result_class))
        @lease = lease
        @known = known
        @result_class = result_class
        @levels = []
        @portals = 0
        @lent = @ended = false
      end

      # @return [String] label for errors
      def server = @lease.server

      # @return [Boolean] whether the block that it was made for has ended
      def ended? = @ended

      # @return [Boolean] whether it exists for one call only
      def lent? = @lent

      # Marks it as existing for one call only.
      def lend
        @lent = true
      end

      def instrument
        super
        @lease.flow.extend(InstrumentedFlow)
      end

      # @return [Hash{String => Statement}] for callers that decode by `decoding`, and whose SQL is parsed in `context`
      def statements_for(decoding, context) = @known.table(decoding, context)

      # A statement without effect on the session, as most are, only needs an open transaction.
      def perform(request)
        statement = request.statement
        return perform_prepared(request) unless statement&.changes_nothing? && !@lease.changed_parse_context?

        check_transaction(request, statement) if @lease.status == "I" && !@levels.empty?
        @lease.transmit(request)
      end

      # A write in a session has no commit of its own.
      alias commit_together perform
      alias commit_separately perform

      # Sends the request without waiting for its answer.
      #
      # @return [SessionLease] which waits for it
      def dispatch(request)
        admit(request)
        @lease.dispatch(request)
        @lease
      end

      # @param request [Request] for more rows of a portal
      # @return [Request] the same, answered
      def fetch(request)
        check_transaction(request) unless @levels.empty?
        @lease.perform_own(request)
        retry_until_answered(request)
      end

      # Runs a command of the library itself, which leaves no session state.
      #
      # @return [Request] answered
      def command(sql)
        request = sql.include?(";") ? Request.script(sql) : Request.query(@statements[sql], [])
        @lease.perform_own(request)
        retry_until_answered(request) { |again| @lease.perform_own(again) }
      end

      # As {Session#execute_script}.
      def execute_script(sql, *unknown)
        UnknownKeywords.refuse_script_values unless unknown.empty?
        around_statement(:script, sql) do
          script = Request.script(Statements.script(sql))
          begin_pending
          @responses.results(perform_until_answered(script), @result_class)
        end
      end

      # @param local [LocalSettings]
      # @return [Request] the same, preceded by the settings, unless the transaction was begun with them
      # @raise [SharedStateError] the open transaction was begun without them
      def localized(request, local)
        return request if @levels.first&.local == local
        raise SharingErrors.settings_too_late(request, server) if in_transaction?

        local.attach(request, server)
      end

      # Runs the block in a transaction that is begun with the settings, unless the open one was.
      #
      # @yieldparam session [SessionExecutor] this one
      def localize(local)
        return yield(self) if @levels.first&.local == local
        raise SharingErrors.settings_too_late(nil, server) if in_transaction?

        transaction({}) do |transaction|
          transaction.begin_with(local)
          yield self
        end
      end

      # @return [Boolean] whether a refused request, the first one here, may be sent over another connection
      def begins_elsewhere?(request) = @lease.begin_elsewhere(request)
      def holds_connection? = true
      def in_transaction? = within_block? || !["I", nil].include?(@lease.status)

      # @return [Boolean] whether a block of {#transaction} runs
      def within_block? = !@levels.empty?

      # @param level [TransactionLevel]
      def innermost?(level) = @levels.last.equal?(level)

      # The same as {ClientExecutor#own_session}: this session.
      def own_session(_callers_block) = yield(self)

      # As {Session#transaction}.
      #
      # @param options [Hash]
      # @yieldparam transaction [TransactionExecutor]
      def transaction(options, _callers_block = nil, &block)
        raise Closed.new("the session has ended", server: server) if @ended
        return savepoint(options, &block) unless @levels.empty?

        TransactionRunner.run(self, options) { |order| attempt(order, &block) }
      end

      # Runs the transaction once.
      #
      # @param order [TransactionRunner]
      # @yieldparam transaction [TransactionExecutor]
      def attempt(order, &block)
        check_no_other_transaction
        run(TransactionLevel.new(self, @lease, order.opening, order), &block)
      rescue ServerError => error
        raise unless (suspected = order.suspected_types)

        explained = suspected.explain(error) { |description| perform_until_answered(description) }
        error.equal?(explained) ? raise : raise(explained, cause: error)
      end

      # Ends the session, and resets its connection for the next caller.
      #
      # @param completed [Boolean] whether its block ended normally
      def finish(completed)
        @ended = true
        @lease.mark_broken unless completed || @lease.settle
      ensure
        @lease.release
      end

      # @return [String] a name
      def next_portal = "trunkline_#{@portals += 1}"

      # Runs the block between a COPY's beginning and end: see {SessionCopy}.
      def copying(sql, direction, **options, &block)
        around_statement(:copy, sql) { SessionCopy.new(self, @responses, sql, direction).run(**options, &block) }
      end

      # @param source [CopySource]
      # @return [Copy] begun
      def begin_copy(source, deadline)
        begin_pending
        copy = Copy.new(@lease, @responses, source.sql, deadline: deadline, description: source.description)
        check_transaction(copy.request) unless @levels.empty?
        @lease.stateful! # triggers, or functions of a query, may leave session state
        copy.begin
      end

      # Marks the session if the statement may leave state, which is reset at the session's end.
      #
      # @raise [SharedStateError] the statement is a COPY, for which there are other methods
      def mark_stateful_for(statement)
        raise SharingErrors.refusal(statement, server) if statement&.classification == :copy

        @lease.stateful!
      end

      private

      # For requests that may have an effect on the session.
      def perform_prepared(request)
        admit(request)
        @lease.perform(request)
      end

      def admit(request)
        return request.members.each { |member| admit(member) } if request.members

        statement = request.statement
        check_transaction(request, statement) unless @levels.empty?
        mark_stateful_for(statement) unless statement&.shareable?
      end

      def begin_pending
        opening = @lease.open
        retry_until_answered(opening) if opening
      end

      def savepoint(options, &block)
        unless options.empty?
          raise ArgumentError, "#{options.keys.join(", ")}: a transaction is open, and what is nested in it is a savepoint, which has no options"
        end

        run(@levels.last.nested("trunkline_#{@levels.size}"), &block)
      end

      def run(level, &block)
        @levels.push(level)
        transaction = TransactionExecutor.new(level, @statements, @decoding, @responses, @result_class)
        observe(transaction)
        level.run(transaction, &block)
      ensure
        @levels.delete(level)
      end

      def check_no_other_transaction
        return if [nil, "I"].include?(@lease.status)

        raise ActiveSqlTransaction.new({ sqlstate: "25001", severity: "ERROR", message: "the session is in a transaction already, which a statement has begun" })
      end

      # Refuses requests after the end of a transaction within its block, and statements that would end it there.
      def check_transaction(request, statement = request.statement)
        raise SharingErrors.transaction_control_in_block(statement, server) if statement&.classification == :transaction
        return unless @lease.status == "I" && @levels.first.over?

        raise Closed.new("the transaction has ended: its BEGIN failed, or a statement in it has ended it", sql: statement&.sql || request.script, server: server)
      end
    end
    private_constant :SessionExecutor
  end
end
