# frozen_string_literal: true

require_relative "../statements/named_parameters"
require_relative "../parameters"
require_relative "retrying"

module Trunkline
  module Postgres
    # A statement was given another number of parameters than it has.
    class ParameterMiscount < ArgumentError # :nodoc:
      # @return [Integer]
      attr_reader :given, :expected

      def initialize(message, given:, expected:)
        super(message)
        @given = given
        @expected = expected
      end
    end
    private_constant :ParameterMiscount

    # SQL and parameters -> a request -> its answer. Includers say how a request travels: `perform`.
    module RequestExecution # :nodoc:
      include Retrying

      # What a message can count.
      MOST_PARAMETERS = 65_535
      private_constant :MOST_PARAMETERS

      private

      # @param prepare [Boolean] whether connections keep the statement
      # @return [Result]
      def result_of(statement, parameters, prepare)
        request = request_for(statement, parameters.dup)
        request.unnamed! unless prepare
        perform(request)
        request.result(@result_class) || @responses.result(retry_until_answered(request), @result_class)
      end

      # What C cannot send as it is, Ruby converts.
      #
      # @param parameters [Array] which the request takes for its own
      # @param deadline [Numeric, nil] seconds, for what converting them has to ask the server
      # @return [Request]
      def request_for(statement, parameters, deadline = nil)
        Request.query(statement, parameters) || converted(statement, parameters, deadline)
      end

      # Finding out what types they are for takes time too.
      #
      # @param deadline [Numeric, nil] seconds
      def converted(statement, parameters, deadline = nil)
        return Deadlines.hold(Deadlines.in(deadline)) { converted(statement, parameters) } if deadline

        statement, parameters = NamedParameters.resolve(@statements, statement, parameters)
        dependent = Parameters.dependent?(parameters)
        remembered = statement.parameter_types
        types = dependent ? learned_types(statement) : remembered
        check_count(parameters, types) if types
        return Request.converted(statement, converted_to(types, parameters)) unless dependent

        remembered ? dependent_on_remembered(types, statement, parameters) : Request.dependent(statement, converted_to(types, parameters), parameters, types)
      end

      # What refuses a value may be a type that is another by now.
      def dependent_on_remembered(types, statement, parameters)
        Request.dependent(statement, converted_to(types, parameters), parameters, types)
      rescue ArgumentError, TypeError
        now = types_now(statement)
        raise if now.nil? || now == types

        Request.dependent(statement, converted_to(now, parameters), parameters, now)
      end

      def converted_to(types, parameters)
        limited(Parameters.convert(parameters, types && @responses.parameter_types(types), @responses.array_nulls))
      end

      # nil: the server cannot be asked, as in a failed transaction.
      def types_now(statement)
        learn(Request.describe(statement).anew).parameter_types
      rescue Error
        nil
      end

      # Of the session that was asked; others may find them outdated as soon as they are known.
      def learned_types(statement)
        statement.parameter_types || learn(Request.describe(statement)).parameter_types
      end

      # More than a server takes would cost all its callers the connection.
      def limited(parameters)
        if parameters.size > MOST_PARAMETERS
          raise ArgumentError, "a statement has #{MOST_PARAMETERS} parameters at most, and #{parameters.size} were given"
        end
        bytes = parameters.sum { |value| bytes_of(value) }
        return parameters if bytes <= Statements::LONGEST

        raise ArgumentError, "the parameters have #{bytes} bytes, and the server takes #{Statements::LONGEST} at most"
      end

      # Or more: a decimal digit has more than three bits. The server counts what is no text in hexadecimal digits.
      def bytes_of(value)
        return value.bit_length / 3 if value.is_a?(Integer)
        return 0 unless value.is_a?(String)

        value.encoding == Encoding::BINARY ? value.bytesize * 2 : value.bytesize
      end

      def learn(request) = perform_until_answered(request)

      def check_count(parameters, types)
        return if parameters.size == types.size

        hint = if parameters.size == 1 && parameters.first.is_a?(Array) then ": pass parameters separately, not as one Array"
               elsif types.empty? then ": in SQL values are called $1, $2, ..."
               end
        message = "the statement has #{types.size} parameters, and #{parameters.size} were given#{hint}"
        raise ParameterMiscount.new(message, given: parameters.size, expected: types.size)
      end
    end
    private_constant :RequestExecution, :Request
  end
end
