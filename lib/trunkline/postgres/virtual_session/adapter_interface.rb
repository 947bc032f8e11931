# frozen_string_literal: true

require_relative "adapter_access"
require_relative "answer_form"
require_relative "virtual_session"

module Trunkline
  module Postgres
    # What a client, or the replicas of one, do for hosts that have an idea of connections of their own, and make SQL with its values in it.
    class AdapterInterface # :nodoc:
      extend AdapterAccess

      # @param client [Client]
      # @return [AdapterInterface] the client's own
      def self.of(client) = client.adapter_interface

      # @return [Readers, nil] nil: the client has no replicas
      attr_reader :readers

      # @param executor [Executor] of the client, or of a reader
      # @param known [Statements] of the client
      # @param epochs [PlanEpoch] of the client
      # @param result_class [Class] of the client
      # @param readers [Readers, nil]
      # @yieldparam location [String] as {#virtual_session} takes it
      # @yieldparam holder [#alive?] likewise
      # @yieldreturn [SessionLease] for a session
      def initialize(executor, known, epochs, result_class, readers = nil, &lease)
        @executor = executor
        @known = known
        @all = known.table(executor.decoding)
        @epochs = epochs
        @result_class = result_class
        @readers = readers
        @lease = lease
      end

      # @return [Boolean] whether its client is closed
      def closed? = @executor.closed?

      # A session without a block.
      #
      # @param location [String] file and line of its holder, told to callers that wait in vain for a connection
      # @param result_class [Class] a {Result} of what its queries return
      # @param holder [#alive?] what has the session: when it is not alive any more, the connection that the session has for its own may be
      #   closed
      # @return [VirtualSession]
      def virtual_session(location, result_class = @result_class, holder: Thread.current)
        VirtualSession.new(self, @executor, @all, result_class) { @lease.call(location, holder) }.tap { |session| @executor.observe(session) }
      end

      # @param format [Symbol] :text or :binary
      # @param result_class [Class] as {AnswerForm}
      # @return [AnswerForm] for {VirtualSession#ask}
      def answer_form(format, result_class) = AnswerForm.new(@known, @executor.responses, format, result_class)

      # Runs one statement, if it may share.
      #
      # @param parameters [Array]
      # @param prepare [Boolean] as for {VirtualSession#ask}
      # @return [Result, nil] nil: it needs a session
      # @raise [Error] as {Querying#query}
      def query(sql, parameters, prepare: true)
        @executor.around_statement(:query, sql, parameters) do
          statement = prepare ? @all[sql] : passing(sql)
          @executor.result_of(statement, parameters, prepare, @result_class) if statement.shareable?
        end
      end

      # An adapter has written an array with a nil in it as text.
      #
      # @param name [String] what an error calls it
      # @raise [ConfigError] the server would read the nil as the text "NULL"
      def check_array_nulls(name) = @executor.responses.array_nulls.check(name)

      # Has all statements prepared anew before they run again, for their tables may have changed.
      def outdate_plans = @epochs.finish && nil

      # @return [Statement] known, or for one use
      def passing(sql) = @all.fetch(sql) { @known.passing(sql, @executor.decoding) }
    end
  end
end
