# frozen_string_literal: true

require_relative "../statements/named_parameters"
require_relative "../parameters"
require_relative "retries"

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

    # How the requests of one object that a user holds (a client, a session, a transaction, a scope, a reader) are made, sent and answered. That
    # object owns it, and its verbs and other parts of this library ask here for what users do not call. Each subclass says how a request
    # travels: `perform`, and `dispatch` for those whose answers are not waited for.
    class Executor # :nodoc:
      # What a message can count.
      MOST_PARAMETERS = 65_535
      private_constant :MOST_PARAMETERS

      # @return [Hash{String => Statement}] known, as the object's callers decode and read SQL
      attr_reader :statements

      # @return [Hash] how types are decoded
      attr_reader :decoding

      # @return [ResponseReader]
      attr_reader :responses

      # @return [Object] which the user holds
      attr_reader :object

      # @param statements [Hash{String => Statement}]
      # @param decoding [Hash]
      # @param responses [ResponseReader]
      # @param object [Object]
      def initialize(statements, decoding, responses, object)
        @statements = statements
        @decoding = decoding
        @responses = responses
        @object = object
      end

      # @return [Retries] by whose rules its requests are sent again
      def retries = @retries ||= Retries.new(self, @responses)

      # Sends the request and waits for its answer.
      #
      # @param request [Request]
      # @return [Request] answered; the last attempt, where there were several
      # @raise [Error] what the last attempt failed with
      def perform_until_answered(request)
        perform(request)
        retry_until_answered(request)
      end

      # As {Retries#until_answered}.
      def retry_until_answered(request, &again) = retries.until_answered(request, &again)

      # @param request [Request]
      # @return [Request] answered: about a statement, and not for a caller
      def learn(request) = perform_until_answered(request)

      # @param prepare [Boolean] whether connections keep the statement
      # @param result_class [Class]
      # @return [Result]
      def result_of(statement, parameters, prepare, result_class)
        request = request_for(statement, parameters.dup)
        request.unnamed! unless prepare
        perform(request)
        request.result(result_class) || @responses.result(retry_until_answered(request), result_class)
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
      # @return [Request]
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

      # Of the session that was asked; others may find them outdated as soon as they are known.
      #
      # @return [Array<Integer>]
      def learned_types(statement)
        statement.parameter_types || learn(Request.describe(statement)).parameter_types
      end

      # @raise [ArgumentError] the statement has another number of parameters
      def check_count(parameters, types)
        return if parameters.size == types.size

        hint = if parameters.size == 1 && parameters.first.is_a?(Array) then ": pass parameters separately, not as one Array"
               elsif types.empty? then ": in SQL values are called $1, $2, ..."
               end
        message = "the statement has #{types.size} parameters, and #{parameters.size} were given#{hint}"
        raise ParameterMiscount.new(message, given: parameters.size, expected: types.size)
      end

      # @return [Boolean] whether a request that was refused as its server is read-only may be sent elsewhere
      def begins_elsewhere?(_request) = false

      # @return [ParseContext, nil] what SQL means here, where it is not as usual
      def parse_context = nil

      # Where operations begin and end, but for single queries: these run a block, which is one. With middlewares it goes through these:
      # {InstrumentedExecutor} has the same methods, and the verbs call no others for it.
      #
      # @param _kind [Symbol] as {Operation#kind} has it
      def around_statement(_kind, _sql, _parameters = []) = yield

      # Of several calls, a statement and its parameters each.
      def around_batch(_calls) = yield

      # Of a transaction with these options.
      def around_transaction(_options) = yield
      def around_connect = yield

      # Has an executor that is made here go through the middlewares, where there are any.
      #
      # @param executor [Executor]
      # @return [void]
      def observe(executor); end

      # Has it go through the middlewares.
      def instrument
        extend(InstrumentedExecutor)
        @object.extend(Instrumented) if @object.is_a?(Querying)
      end

      private

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
    end
    private_constant :Executor, :Request
  end
end
