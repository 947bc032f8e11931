# frozen_string_literal: true

require_relative "parameters"
require_relative "result"

module Trunkline
  module PG
    # Runs the queries of a connection on its session, in libpq's formats.
    class Queries
      FORMATS = %i[text binary].freeze
      private_constant :FORMATS

      # @param text [String] of any encoding
      # @return [String] the same; in UTF-8 if its encoding is not ASCII-compatible, such as UTF-16
      def self.utf8(text) = text.is_a?(String) && !text.encoding.ascii_compatible? ? text.encode(Encoding::UTF_8) : text

      # @raise [TypeError] they are no Array
      def self.check_parameters(parameters) = (raise TypeError, "wrong argument type #{parameters.class} (expected Array)" unless parameters.is_a?(Array))

      # @param interface [Postgres::AdapterInterface] of the client
      # @param session [Postgres::VirtualSession] of that client
      def initialize(interface, session)
        @session = session
        @forms = FORMATS.map { |format| interface.answer_form(format, Result) }
      end

      # @param sql [String]
      # @param parameters [Array] as {Shape::Executing#exec_params} takes them
      # @param format [Integer] of the result
      # @param map [TypeMap] of the parameters
      # @param prepare [Boolean, :again] whether connections keep the statement prepared
      # @param types [Array<Integer>, nil] declared types of the parameters
      # @return [Result]
      # @raise [Trunkline::Error]
      def query(sql, parameters, format, map, prepare, types)
        values, types = sendable(sql, parameters, map, types)
        @session.query(sql, values, prepare: prepare, form: form(format), types: types)
      end

      # Sends a statement, or several, without waiting.
      #
      # @param single [Boolean] whether several statements are an error
      # @return [Postgres::SentAnswers]
      # @raise [Trunkline::Error]
      def send_off(sql, parameters, format, map, single: false, types: nil)
        form = form(format)
        sql = Queries.utf8(sql)
        values, types = sendable(sql, parameters, map, types)
        statement, keep = form.statement(sql, :again, types)
        raise ::Trunkline::ConfigError, "COPY is for copy_data" if statement.classification == :copy

        request = if statement.classification == :script && values.empty? && !single then form.script(sql)
                  else form.request_for(@session, statement, values, keep)
                  end
        Postgres.const_get(:SentAnswers).new(@session, form, request)
      end

      # @return [Array(Array, Array<Integer>)] values for the session, and their types, or nil
      def sendable(sql, parameters, map, types)
        Queries.check_parameters(parameters)
        map = TypeMap.reading(map)
        return [parameters, declared(types)] if parameters.empty?

        given = Parameters.new(parameters, map) { learned(sql, types) }
        [given.values, given.types || declared(types)]
      end

      # @return [Result] without rows, with the parameters and columns of a statement
      # @raise [Trunkline::Error]
      def describe(sql, types = nil)
        description, parameters = form(0).describe(@session, Queries.utf8(sql), declared(types))
        Result.new([], description, nil).with_details("", status: Constants::PGRES_COMMAND_OK, parameters: parameters)
      end

      # @return [Result] empty
      def nothing(tag = nil) = form(0).nothing(tag)

      # @param format [Integer, nil] nil: 0
      # @return [Postgres::AnswerForm]
      # @raise [ArgumentError] it is neither 0 nor 1
      def form(format) = (@forms[format || 0] if [0, 1, nil].include?(format)) || raise(ArgumentError, "result format must be 0 (text) or 1 (binary), not #{format.inspect}")

      private

      def learned(sql, types) = form(0).describe(@session, sql, declared(types)).last

      def declared(types) = types&.any? { |oid| oid.to_i.positive? } ? types.map(&:to_i) : nil
    end
    private_constant :Queries
  end
end
