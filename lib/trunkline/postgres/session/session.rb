# frozen_string_literal: true

require_relative "../../trunk/main_ractor"
require_relative "../request/internals"
require_relative "../copy/copying"
require_relative "../verbs/querying"
require_relative "session_copy"
require_relative "../statements/sharing_errors"
require_relative "../verbs/streaming"
require_relative "transaction"

module Trunkline
  module Postgres
    # A server session of one's own, for as long as the block runs that it was made for: settings, temporary tables and
    # transactions stay on it, and are gone when it ends. It takes a connection when it is first asked something.
    class Session
      include Querying
      include Copying
      include Streaming
      include MainRactor

      # @param known [Statements]
      def initialize(lease, known, decoding, responses, result_class) # :nodoc:
        stay_in_main_ractor
        @lease = lease
        @known = known
        @decoding = decoding
        @statements = statements_for(decoding, nil)
        @responses = responses
        @result_class = result_class
        @levels = []
        @portals = 0
        @lent = @ended = false
        @internals = Internals.new(self)
      end

      # Runs several statements, separated by semicolons, without parameters: as one transaction, unless there are
      # transaction commands among them.
      #
      # @param sql [String]
      # @return [Array<Result>] one for each statement
      # @raise [Error] as {#query}
      def execute_script(sql)
        around_statement(:script, sql) do
          script = Request.script(Statements.script(sql))
          begin_what_is_pending
          @responses.results(perform_until_answered(script), @result_class)
        end
      end

      # Runs the block in a transaction, as {Client#transaction} does; within a transaction, in a savepoint.
      #
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned; nil after {Rollback} and {Transaction#rollback}
      # @raise [Error] as {Client#transaction}
      def transaction(**options, &block)
        raise ArgumentError, "transaction takes a block: transaction { |tx| ... }" unless block
        raise Closed.new("the session has ended", server: server) if @ended
        return savepoint(options, &block) unless @levels.empty?

        run_order(options) { |order| attempt(order, &block) }
      end

      # Begins a COPY, in the bytes of its format: for adapters of other libraries. While it goes on, nothing else is asked here, and
      # its caller ends it with {Copy#finish} or {Copy#abort}.
      #
      # @param sql [String] COPY ... FROM STDIN or TO STDOUT
      # @param deadline [Numeric, nil] seconds for all of it
      # @return [Copy]
      # @raise [ArgumentError] the SQL is none
      # @raise [Error] as {#query}
      def copy(sql, deadline: nil)
        begin_copy(CopySource.new(@statements[Statements.text(sql)], @responses), deadline)
      end

      # Waits for a notification, where this session listens: after `LISTEN`. Those that have come to it before are there too.
      #
      # @param timeout [Numeric, nil] seconds; nil: for ever
      # @return [Notification, nil] nil: none has come in time
      # @raise [ConnectionError] the connection was lost
      # @raise [Error] as {#query}
      # @see Listening#listen
      def wait_for_notification(timeout = nil)
        @lease.notifications.take(timeout)
      end

      # @return [Boolean] whether the transaction that is open has failed: it can only be rolled back
      def failed? = @lease.status == "E"

      # @return [String] the server, and whether a transaction is open
      def inspect = "#<#{self.class} #{server}#{" ended" if @ended}#{" in a transaction" unless @levels.empty?}>"

      private

      attr_reader :statements, :decoding, :lease

      def server = @lease.server

      def statements_for(decoding, context) = @known.table(decoding, context)

      # @param level [TransactionLevel]
      def innermost?(level) = @levels.last.equal?(level)

      # Runs the transaction once.
      def attempt(order, &block)
        check_no_other_transaction
        run(TransactionLevel.new(@internals, @lease, order.opening, order), &block)
      rescue ServerError => error
        raise unless (suspected = order.suspected_types)

        explained = suspected.explain(error) { |description| perform_until_answered(description) }
        error.equal?(explained) ? raise : raise(explained, cause: error)
      end

      # Ends the session, and sets its connection back for the next caller.
      #
      # @param completed [Boolean] whether its block came to an end of its own
      def finish(completed)
        @ended = true
        @lease.mark_broken unless completed || @lease.settle
      ensure
        @lease.release
      end

      # @return [Boolean] whether it is there for one call only, and is asked nothing else
      def lent? = @lent

      # Notes that it is there for one call only.
      def lend
        @lent = true
      end

      # Runs the block, which needs a connection of its own, here.
      def own_session(_block) = yield(@internals)

      def holds_connection? = true
      def in_transaction? = !@levels.empty? || !["I", nil].include?(@lease.status)

      # Runs the block in a transaction that is begun with the settings, unless the one that is open was.
      #
      # @yieldparam session [Internals] of this one
      def localize(local)
        return yield(@internals) if @levels.first&.local == local
        raise SharingErrors.settings_too_late(nil, server) if in_transaction?

        transaction do
          @levels.last.begin_with(local)
          yield @internals
        end
      end

      # @return [String] a name
      def next_portal = "trunkline_#{@portals += 1}"

      # Runs the block between a COPY's beginning and end: see SessionCopy.
      def copying(sql, direction, **options, &block)
        around_statement(:copy, sql) { SessionCopy.new(@internals, @responses, sql, direction).run(**options, &block) }
      end

      # @param source [CopySource]
      # @return [Copy] begun
      def begin_copy(source, deadline)
        begin_what_is_pending
        copy = Copy.new(@lease, @responses, source.sql, deadline: deadline, description: source.description)
        check_transaction(copy.request) unless @levels.empty?
        @lease.stateful! # triggers, or functions of a query, may leave something behind
        copy.begin
      end

      # @param request [Request] for more rows of a portal
      # @return [Request] the same, answered
      def fetch(request)
        check_transaction(request) unless @levels.empty?
        @lease.perform_own(request)
        retry_until_answered(request)
      end

      # Notes that the statement may leave state behind, which is undone at the session's end.
      #
      # @raise [SharedStateError] the statement is a COPY, which has methods of its own
      def mark_stateful_for(statement)
        raise SharingErrors.refusal(statement, server) if statement&.classification == :copy

        @lease.stateful!
      end

      # @return [Boolean] whether a refused request, the first one here, may go over another connection
      def begins_elsewhere?(request) = @lease.begin_elsewhere(request)

      # A statement that changes nothing, which most are, needs no more than an open transaction.
      def perform(request)
        statement = request.statement
        return perform_prepared(request) unless statement&.changes_nothing? && !@lease.changed_parse_context?

        check_transaction(request, statement) if @lease.status == "I" && !@levels.empty?
        @lease.transmit(request)
      end

      def dispatch(request)
        admit(request)
        @lease.dispatch(request)
        @lease
      end

      # A write in here has no commit of its own.
      alias commit_together perform
      alias commit_apart perform

      # @param local [LocalSettings]
      # @return [Request] the same, with the settings before it, unless the transaction was begun with them
      # @raise [SharedStateError] a transaction is open that was begun without them
      def localized(request, local)
        return request if @levels.first&.local == local
        raise SharingErrors.settings_too_late(request, server) if in_transaction?

        local.attach(request, server)
      end

      # A command of this library's own, which leaves nothing behind.
      #
      # @return [Request] answered
      def command(sql)
        request = sql.include?(";") ? Request.script(sql) : Request.query(@statements[sql], [])
        @lease.perform_own(request)
        retry_until_answered(request) { |again| @lease.perform_own(again) }
      end

      # What may have an effect on the session.
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

      def begin_what_is_pending
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
        level.run(observe(Transaction.new(level, @statements, @decoding, @responses, @result_class)), &block)
      ensure
        @levels.delete(level)
      end

      def check_no_other_transaction
        return if [nil, "I"].include?(@lease.status)

        raise ActiveSqlTransaction.new({ sqlstate: "25001", severity: "ERROR", message: "the session is in a transaction already, which a statement has begun" })
      end

      # Refuses what follows the end of a transaction within its block, and a statement that would end it there.
      def check_transaction(request, statement = request.statement)
        raise SharingErrors.misplaced_end(statement, server) if statement&.classification == :transaction
        return unless @lease.status == "I" && @levels.first.over?

        raise Closed.new("the transaction has ended: its BEGIN failed, or a statement in it has ended it", sql: statement&.sql || request.script, server: server)
      end
    end
  end
end
