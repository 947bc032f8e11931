# frozen_string_literal: true

require_relative "../results/result"

module Trunkline
  module Postgres
    # Queries of a {VirtualSession} in the form of libpq's results: each value as text, or as bytes in the binary format; and the tag of each command.
    class AnswerForm # :nodoc:
      # How the columns of all types are decoded.
      DECODINGS = { text: Hash.new(:text).freeze, binary: Hash.new(:bytes).freeze }.freeze
      # The tag of a statement that is not sent, or not yet.
      TAG = /\A\s*+([a-z]+)/i
      private_constant :DECODINGS, :TAG

      # @return [Symbol] :text or :binary
      attr_reader :format

      # @param known [Statements] the client's
      # @param responses [ResponseReader]
      # @param format [Symbol] :text or :binary
      # @param result_class [Class] a {Result} whose `with_details` takes the tag of its command and the format
      def initialize(known, responses, format, result_class)
        @known = known
        @responses = responses
        @format = format
        @decoding = DECODINGS.fetch(format)
        @statements = known.table(@decoding)
        @result_class = result_class
      end

      # @param session [VirtualSession]
      # @param parameters [Array]
      # @param prepare [Boolean, :again] as for {VirtualSession#query}
      # @param types [Array<Integer>, nil] OIDs of the parameters, 0: the server determines it
      # @return [Result] of the last statement
      # @raise [Error] as {Querying#query}
      def query(session, sql, parameters, prepare, types)
        statement, keep = statement(sql, prepare, types)
        unless parameters.any? || statement.shareable?
          special = session.special(statement) { return scripts(session, sql).last || nothing("") }
          return nothing(statement.sql[TAG, 1].to_s.upcase) if special
        end
        result(session.perform_until_answered(request_for(session, statement, parameters, keep)))
      end

      # @return [Array(Statement, Boolean)] and whether connections keep it prepared
      def statement(sql, prepare = :again, types = nil)
        return [@known.uncached(sql, @decoding).tap { |statement| statement.types = types }, false] if types

        known = @statements.fetch(sql, nil)
        statement = known || (prepare ? @statements[sql] : @known.uncached(sql, @decoding))
        [statement, prepare == :again ? !known.nil? : prepare]
      end

      # @return [Request]
      def request_for(session, statement, parameters, keep)
        request = session.request_for(statement, parameters.dup)
        request.unnamed! unless keep
        request.keep_tag
      end

      # @return [Request] of several statements
      def script(sql) = Request.script(Statements.text(sql)).decode_as(@decoding).keep_tag

      # @param request [Request] answered
      # @return [Result]
      def result(request) = @responses.result(request, @result_class).with_details(request.tag || "", @format)

      # @param request [Request] of a script, answered
      # @return [Array<Result>]
      def results(request) = @responses.results(request, @result_class) { |result, tag| result.with_details(tag || "", :text) }

      # @param request [Request] whose rows are read in parts
      # @return [Array<Result>] one for each row
      def rows_of(request, rows) = rows.map { |row| @responses.portion(request, [row], @result_class).with_details(nil, @format) }

      # @return [Result] of no columns and no rows
      def nothing(tag = nil) = @result_class.new([], Description.empty, nil).with_details(tag, @format)

      # Describes the parameters and columns of a statement.
      #
      # @return [Array(Description, Array<Integer>)] its columns, and the types of its parameters
      # @raise [Error] as {Describing#describe}
      def describe(session, sql, types = nil)
        statement, = statement(sql, :again, types)
        described = session.perform_until_answered(Request.describe(statement))
        [described.description || Description.empty, described.parameter_types]
      end

      private

      def scripts(session, sql)
        request = script(sql)
        session.begin_now
        results(session.perform_until_answered(request))
      end
    end
    private_constant :AnswerForm
  end
end
