# frozen_string_literal: true

require_relative "adapter_access"
require_relative "answer_form"
require_relative "virtual_session"

module Trunkline
  module Postgres
    # What a client, or its replicas, provide for adapters, which have their own idea of connections, and put values into the SQL.
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
      # @yieldparam ended [SessionLease, nil] the session's former one, which may begin again
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

      # Makes a session without a block.
      #
      # @param location [String] file and line of its holder, for errors of callers that wait in vain for a connection
      # @param result_class [Class] a {Result}, for its queries
      # @param holder [#alive?] has the session: when it is not alive any more, the session's reserved connection may be closed
      # @return [VirtualSession]
      def virtual_session(location, result_class = @result_class, holder: Thread.current)
        VirtualSession.new(self, @executor, @all, result_class) { |ended| @lease.call(location, holder, ended) }.tap { |session| @executor.observe(session) }
      end

      # @param format [Symbol] :text or :binary
      # @param result_class [Class] as {AnswerForm}
      # @return [AnswerForm] for {VirtualSession#query}
      def answer_form(format, result_class) = AnswerForm.new(@known, @executor.responses, format, result_class)

      # Runs one statement, if it is shareable.
      #
      # @param parameters [Array]
      # @param prepare [Boolean] as for {VirtualSession#query}
      # @return [Result, nil] nil: it needs a session
      # @raise [Error] as {Querying#query}
      def query(sql, parameters, prepare: true)
        @executor.around_statement(:query, sql, parameters) do
          statement = prepare ? @all[sql] : uncached(sql)
          @executor.result_of(statement, parameters, prepare, @result_class) if statement.shareable?
        end
      end

      # For an adapter that writes arrays as text, before it sends one that contains a nil.
      #
      # @param name [String] what an error calls it
      # @raise [ConfigError] the server would read the nil as the text "NULL"
      def check_array_nulls(name) = @executor.responses.array_nulls.check(name)

      # Has all statements prepared again before they run again, as their tables may have changed.
      def outdate_plans = @epochs.finish && nil

      # @return [Statement] cached, or for one use
      def uncached(sql) = @all.fetch(sql) { @known.uncached(sql, @executor.decoding) }
    end
  end
end
