# frozen_string_literal: true

require_relative "answer_form"
require_relative "virtual_session"

module Trunkline
  module Postgres
    # What a client does for hosts that have an idea of connections of their own, and make SQL with its values in it.
    # They call these through {Internals}.
    module AdapterInterface # :nodoc:
      private

      # A session without a block.
      #
      # @param location [String] file and line of its holder, told to callers that wait in vain for a connection
      # @param result_class [Class] a {Result} of what its queries return
      # @param holder [#alive?] what has the session: when it is not alive any more, the connection that the session has for its own may be
      #   closed
      # @return [VirtualSession]
      def virtual_session(location, result_class = @result_class, holder: Thread.current)
        observe(VirtualSession.new(Internals.new(self), @all, @responses, result_class) { @sessions.lease_at(location, holder) })
      end

      # @param format [Symbol] :text or :binary
      # @param result_class [Class] as {AnswerForm}
      # @return [AnswerForm] for {VirtualSession#ask}
      def answer_form(format, result_class) = AnswerForm.new(@known, @responses, format, result_class)

      # Runs one statement, if it may share.
      #
      # @param parameters [Array]
      # @param prepare [Boolean] as for {VirtualSession#ask}
      # @return [Result, nil] nil: it needs a session
      # @raise [Error] as {Querying#query}
      def ask(sql, parameters, prepare: true)
        statement = prepare ? @all[sql] : passing(sql)
        result_of(statement, parameters, prepare) if statement.shareable?
      end

      # An adapter has written an array with a nil in it as text.
      #
      # @param name [String] what an error calls it
      # @raise [ConfigError] the server would read the nil as the text "NULL"
      def check_array_nulls(name) = @responses.array_nulls.check(name)

      # Has all statements prepared anew before they run again, for their tables may have changed.
      def outdate_plans = @epochs.finish && nil

      # @return [Statement] known, or for one use
      def passing(sql) = @all.fetch(sql) { @known.passing(sql, @decoding) }
    end
    private_constant :AdapterInterface
  end
end
