# frozen_string_literal: true

require_relative "asking"
require_relative "copy"
require_relative "request"

module Trunkline
  module Postgres
    # What a host takes for a connection of its own, and none is needed for: whatever may share goes over the connections that
    # all share. BEGIN, or whatever else leaves something behind, takes a connection, which goes back when the server says that the
    # transaction is over; or, where a setting, a lock or a temporary table remains, when the host calls {#reset}.
    #
    # One fiber or thread uses it at a time.
    class VirtualSession # :nodoc:
      include Asking

      # Settings that end with their transaction.
      PASSING = /\A\s*SET\s+(?:LOCAL|TRANSACTION|CONSTRAINTS)\b/i
      OPEN = %w[T E].freeze
      private_constant :PASSING, :OPEN

      # @param client [Client]
      # @param statements [Hash{String => Statement}]
      # @param answers [Answers]
      # @param result_class [Class] of what its queries return
      # @yieldreturn [Pinned] what a connection of its own is taken by
      def initialize(client, statements, answers, result_class, &pin)
        @client = client
        @statements = statements
        @answers = answers
        @result_class = result_class
        @pin = pin
        @pinned = nil
        @status = "I"
        @kept = @held = false
      end

      # @return [String] "I", "T" or "E": in no transaction, in one, or in one that has failed
      attr_reader :status

      # Does it have a connection of its own at this moment?
      def pinned? = !@pinned.nil?

      # Has it lost the connection on which a transaction was open? Then it is of no use until {#reset}.
      def broken? = @status != "I" && (@pinned.nil? || @pinned.broken?)

      # Is the client closed that it belongs to?
      def closed? = @client.closed?

      # Can it go on, as far as can be seen without asking the server?
      def alive? = @pinned ? !@pinned.broken? && @pinned.alive? : @status == "I"

      # Runs one statement; or several, separated by semicolons, where there are no parameters.
      #
      # @param parameters [Array]
      # @param prepare [Boolean] whether the connections that it goes over keep it, and the client what it knows of it
      # @return [Result] of the last one
      # @raise [Error] as {Querying#query}
      def ask(sql, parameters, prepare: true)
        statement = prepare ? @statements[sql] : @client.passing(sql)
        return execute_script(sql).last if parameters.empty? && !statement.shareable? && statement.verdict == :script

        result_of(statement, parameters, prepare)
      end

      # Runs several statements, separated by semicolons, without parameters.
      #
      # @return [Array<Result>] one for each
      # @raise [Error] as {Querying#query}
      def execute_script(sql)
        request = Request.script(Statements.text(sql))
        perform(request)
        @answers.results(answered(request), @result_class)
      end

      # Runs the block with a connection of its own, for statements that belong together.
      def together
        held = @held
        @held = true
        yield
      ensure
        @held = held
        note_status if @pinned
      end

      # Begins a COPY; it is the caller's to end. To be called within {#together}.
      #
      # @param sql [String]
      # @return [Copy]
      # @raise [Error] as {Querying#query}
      def copy(sql)
        raise lost(sql) if broken?

        @pinned ||= @pin.call
        Copy.new(@pinned, @answers, Statements.text(sql)).begin
      end

      # From now on it has a connection of its own, until {#reset}.
      def stay
        @pinned ||= @pin.call
        keep
      end

      # @param name [String] of a setting that the server reports
      # @return [String, nil] its value on the connection of its own, where it has one
      def own_setting(name) = @pinned&.setting(name)

      # Has everything that was asked its answer?
      def at_rest? = @pinned.nil? || @pinned.idle?

      # Has the server end what was given up, so that the session can go on.
      #
      # @return [Boolean] whether it can
      def settle = @pinned.nil? || @pinned.settle

      # Ends the transaction and whatever else was left behind, and gives the connection back.
      def reset
        @status = "I"
        @pinned&.stateful!
        let_go if @pinned
      end

      def server = @answers.server

      def perform(request)
        return @client.perform(request) if @pinned.nil? && shared?(request)

        on_its_own(request) { |pinned| pinned.perform(request) }
      end

      def dispatch(request)
        return @client.dispatch(request) if @pinned.nil? && shared?(request)

        on_its_own(request) do |pinned|
          pinned.dispatch(request)
          pinned
        end
      end

      private

      def shared?(request) = request.statement&.shareable? && !@held && @status == "I"

      def on_its_own(request)
        raise lost(request.statement&.sql || request.script) if broken?

        @pinned ||= @pin.call
        keep unless passing?(request.statement)
        yield @pinned
      ensure
        note_status if @pinned
      end

      # Does nothing remain of it when the transaction is over?
      def passing?(statement)
        return false unless statement

        case statement.verdict
        when :shareable, :alone, :transaction, :savepoint then true
        when :setting then PASSING.match?(statement.sql)
        else false
        end
      end

      def keep
        @kept = true
        @pinned.stateful!
      end

      # A request that was given up says nothing: whatever was open is still.
      def note_status
        @status = @pinned.status || @status
        let_go if @pinned.broken? || over?
      end

      def over? = @status == "I" && !@kept && !@held && @pinned.idle?

      def let_go
        pinned = @pinned
        @pinned = nil
        @kept = false
        pinned.release
      end

      def lost(sql)
        ConnectionError.new("the connection was lost in the middle of a transaction, of which nothing remains", sql: sql, server: server, retriable: false)
      end
    end
    private_constant :VirtualSession
  end
end
