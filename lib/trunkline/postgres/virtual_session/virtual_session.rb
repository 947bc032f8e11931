# frozen_string_literal: true

require_relative "../request/executor"
require_relative "../copy/copy"
require_relative "../request/future"
require_relative "../request/request"
require_relative "sent_answers"
require_relative "../statements/session_remains"
require_relative "../statements/sharing_errors"

module Trunkline
  module Postgres
    # What a host uses as a connection, without reserving one: shareable statements use the shared connections. BEGIN, or any statement that leaves
    # session state, reserves a connection. It is returned when the server reports the end of the transaction; or, if a setting, a lock or a temporary
    # table remains, when the host calls {#reset}.
    #
    # One fiber or thread uses it at a time.
    class VirtualSession < Executor # :nodoc:
      # @param interface [AdapterInterface] that makes it
      # @param client [Executor] sends shareable statements
      # @param statements [Hash{String => Statement}]
      # @param result_class [Class] for its queries
      # @yieldparam ended [SessionLease, nil] the former one, which may begin again
      # @yieldreturn [SessionLease] that reserves a connection
      def initialize(interface, client, statements, result_class, &take_lease)
        super(statements, client.decoding, client.responses, self)
        @interface = interface
        @client = client
        @result_class = result_class
        @take_lease = take_lease
        @lease = @ended_lease = nil
        @status = "I"
        @kept = @held = false
      end

      attr_reader :status # [String] "I", "T" or "E": in no transaction, in one, or in one that has failed

      def pinned? = !@lease.nil? # [Boolean] whether it has a reserved connection now
      def reported = @responses.reported # [Hash{String => String}] as {ResponseReader#reported}
      def closed? = @client.closed? # [Boolean] whether its client is closed

      # @return [Boolean] whether it has lost the connection with an open transaction: then it is unusable until {#reset}
      def broken? = @status != "I" && (@lease.nil? || @lease.broken?)

      # @return [Boolean] whether it is usable, as far as can be seen without a query
      def alive? = @lease ? !@lease.broken? && @lease.alive? : @status == "I"

      # Runs one statement; or several, separated by semicolons, if there are no parameters.
      #
      # @param parameters [Array]
      # @param prepare [Boolean, :again] whether connections keep it prepared, and the client caches its description; :again: the client does, and
      #   connections from the second time on
      # @param form [AnswerForm, nil] of the result; nil: as the client's
      # @param types [Array<Integer>, nil] of the parameters, with a form
      # @return [Result] of the last one
      # @raise [Error] as {Querying#query}
      def query(sql, parameters, prepare: true, form: nil, types: nil)
        around_statement(:query, sql, parameters) { form ? form.query(self, sql, parameters, prepare, types) : answer(sql, parameters, prepare) }
      end

      # Runs one statement without parameters, whose result its caller does not need.
      #
      # @return [void]
      # @raise [Error] as {Querying#query}
      def command(sql)
        around_statement(:query, sql) do
          known = @statements.fetch(sql, nil)
          statement = known || @statements[sql]
          unless !statement.shareable? && special(statement) { execute_script(sql) }
            request = request_for(statement, NO_PARAMETERS)
            request.unnamed! unless known
            perform(request)
            retry_until_answered(request) unless request.plain?
          end
        end
      end

      # Sends one shareable statement, without waiting for its answer.
      #
      # @return [Future, nil] whose value is what {#query} would have returned; nil: it is not shareable, or the session has a reserved connection
      # @raise [Error] as {Querying#async}
      def send_off(sql, parameters, prepare: true)
        known = @statements.fetch(sql, nil)
        statement = known || @statements[sql]
        return unless @lease.nil? && statement.shareable? && @status == "I"

        request = request_for(statement, [*parameters])
        request.unnamed! unless prepare == :again ? known : prepare
        @responses.unanswered_futures.make_room(request)
        future = Future.new(dispatch(request), request) { |done| @responses.result(retry_until_answered(done), @result_class) }
        @responses.unanswered_futures.add(future, request)
      end

      # If there is a reserved connection, it is used: it may be the only one.
      #
      # @param name [String] what an error calls the value that contains a nil
      # @raise [ConfigError] as {AdapterInterface#check_array_nulls}
      def check_array_nulls(name)
        return @interface.check_array_nulls(name) unless @lease

        @responses.array_nulls.check(name) { |sql, parameters| query(sql, parameters).rows }
      end

      # Runs several statements, separated by semicolons, without parameters.
      #
      # @return [Array<Result>] one for each
      # @raise [Error] as {Querying#query}
      def execute_script(sql)
        request = Request.script(Statements.script(sql))
        begin_now
        @responses.results(perform_until_answered(request), @result_class)
      end

      # Runs the block with a reserved connection, for statements that belong together.
      def together
        held = @held
        @held = true
        yield
      ensure
        @held = held
        note_status if @lease
      end

      # Sends a request on a connection that is reserved until {#release_held}, without waiting for the answer.
      #
      # @param request [Request]
      # @return [SessionLease] from which the answer is read
      def send_held(request)
        begin_now if request.script
        hold
        dispatch(request)
      end

      def hold = @held = true

      def release_held
        @held = false
        note_status if @lease
      end

      # Begins a COPY; the caller must end it. To be called within {#together}.
      #
      # @param sql [String]
      # @return [Copy]
      # @raise [Error] as {Querying#query}
      # @raise [ArgumentError] the SQL is not COPY FROM STDIN or TO STDOUT
      def copy(sql)
        raise lost(sql) if broken?
        raise ArgumentError, "no COPY statement: copy_data takes COPY ... FROM STDIN or TO STDOUT" unless @interface.uncached(sql).classification == :copy

        begin_now
        @lease ||= take_lease
        @lease.stateful! # triggers, or functions of a query, may leave session state
        Copy.new(@lease, @responses, Statements.text(sql)).begin
      end

      # As {Session#wait_for_notification}, on a reserved connection.
      def wait_for_notification(timeout)
        raise lost("LISTEN") if broken?

        (@lease ||= take_lease).notifications.take(timeout)
      end

      # Reserves a connection, until {#reset}.
      #
      # @return [Integer, nil] process ID of the server's backend; nil: the connection is taken with the next request
      def reserve = (@lease ||= take_lease).tap { keep }.server_process

      def socket = @lease&.io # [::Socket, nil] of the reserved connection
      def reserved_setting(name) = @lease&.setting(name) # [String, nil] as {SessionLease#setting}
      def idle? = @lease.nil? || @lease.idle? # [Boolean] whether every request is answered
      def settle = @lease.nil? || @lease.settle # [Boolean] as {SessionLease#settle}

      # Ends the transaction, resets session state, and returns the connection.
      def reset
        @status = "I"
        @lease&.stateful!
        end_lease if @lease
      end

      def server = @responses.server
      def nothing = @result_class.new([], Description.empty, nil) # [Result] of no columns and no rows

      def perform(request)
        statement = request.statement
        return @client.perform(request) if @lease.nil? && shared?(statement)

        lease = reserved_for(request, statement)
        statement&.shareable? || !ends_transaction?(statement) ? lease.perform(request) : lease.perform_own(request)
      ensure
        note_status if @lease
      end

      def dispatch(request)
        statement = request.statement
        return @client.dispatch(request) if @lease.nil? && shared?(statement)

        reserved_for(request, statement).tap { |lease| lease.dispatch(request) }
      ensure
        note_status if @lease
      end

      # Statements that are not sent now as one statement.
      #
      # @yield runs several statements
      # @return [Boolean] whether it was such a one
      def special(statement)
        case statement.classification
        when :script then yield
        when :copy then raise SharingErrors.refusal(statement, server)
        when :transaction then return @lease ? ended?(statement.sql) : opened?(statement.sql)
        else return false
        end
        true
      end

      # Sends a pending BEGIN now: a script cannot be sent together with it.
      def begin_now
        return if @lease.nil? || @lease.pending.empty?
        raise lost("BEGIN") if broken?

        retry_until_answered(@lease.open)
        note_status
      end

      private

      def answer(sql, parameters, prepare)
        known = @statements.fetch(sql, nil)
        statement = known || (prepare ? @statements[sql] : @interface.uncached(sql))
        return nothing if parameters.empty? && !statement.shareable? && special(statement) { return execute_script(statement.sql).last }

        result_of(statement, parameters, prepare == :again ? known : prepare, @result_class)
      end

      # Nothing is sent yet: the next statement takes a connection, with BEGIN before it.
      def opened?(sql)
        return false unless @status == "I" && SessionRemains.opening?(sql)

        @lease = take_lease
        @lease.pending.push(sql)
        @status = "T"
        true
      end

      def ended?(sql)
        return false if @lease.pending.empty? || !SessionRemains.ending?(sql)

        @lease.pending.clear
        @status = "I"
        end_lease unless @kept || @held
        true
      end

      # It changes nothing else in the session, so nothing is to be checked or noted before it.
      def ends_transaction?(statement) = statement&.classification == :transaction && SessionRemains.ending?(statement.sql)

      def shared?(statement) = statement&.shareable? && !@held && @status == "I"

      # @return [SessionLease] for the request, which cannot use a shared connection
      def reserved_for(request, statement)
        raise lost(statement&.sql || request.script) if broken?

        @lease ||= take_reserved(statement)
        keep unless statement&.shareable? || SessionRemains.none?(statement)
        @lease
      end

      # It would read the value that some other caller of the connection has drawn from the sequence.
      def take_reserved(statement)
        raise SharingErrors.refusal(statement, server) if statement && SessionRemains.reads_last_value?(statement)

        take_lease
      end

      def take_lease = @take_lease.call(@ended_lease)

      def keep
        @kept = true
        @lease.stateful!
      end

      # An abandoned request has no status: what was open still is.
      def note_status
        lease = @lease
        @status = lease.status || @status
        end_lease if lease.broken? || (@status == "I" && !@kept && !@held && lease.idle?)
      end

      def end_lease
        lease, @lease, @ended_lease, @kept = @lease, nil, nil, false
        lease.release
        @ended_lease = lease.begin_again
      end

      def lost(sql) = LeaseErrors.lost(sql, server)
    end
    private_constant :VirtualSession
  end
end
