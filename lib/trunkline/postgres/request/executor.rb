# frozen_string_literal: true

require_relative "../statements/named_parameters"
require_relative "../parameters"
require_relative "retries"

module Trunkline
  module Postgres
    # A statement was given the wrong number of parameters.
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

    # Makes, sends and answers the requests of one object that a user holds: a client, a session, a transaction, a scope or a reader. That object owns
    # it; its public methods and other parts of the library call here what users do not call. Each subclass defines how a request is sent: `perform`,
    # and `dispatch` without waiting for the answer.
    class Executor # :nodoc:
      # The limit of a Bind message.
      MOST_PARAMETERS = 65_535
      NO_PARAMETERS = [].freeze
      private_constant :MOST_PARAMETERS, :NO_PARAMETERS

      # @return [Hash{String => Statement}] known ones, with the object's decoding and parse context
      attr_reader :statements

      # @return [Hash] how types are decoded
      attr_reader :decoding

      # @return [ResponseReader]
      attr_reader :responses

      # @return [Object] that the user holds
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

      # @return [Retries] decides which of its requests are sent again
      def retries = @retries ||= Retries.new(self, @responses)

      # Sends the request and waits for its answer.
      #
      # @param request [Request]
      # @return [Request] answered; the last attempt, if there were several
      # @raise [Error] of the last attempt
      def perform_until_answered(request)
        perform(request)
        retry_until_answered(request)
      end

      # As {Retries#until_answered}.
      def retry_until_answered(request, &again) = retries.until_answered(request, &again)

      # @param request [Request]
      # @return [Request] answered: a Describe, not a request of a caller
      def describe_request(request) = perform_until_answered(request)

      # @param prepare [Boolean] whether connections keep the statement
      # @param result_class [Class]
      # @return [Result]
      def result_of(statement, parameters, prepare, result_class)
        request = request_for(statement, parameters.empty? ? NO_PARAMETERS : [*parameters])
        request.unnamed! unless prepare
        perform(request)
        request.result(result_class) || @responses.result(retry_until_answered(request), result_class)
      end

      # Ruby converts parameters that C cannot send unchanged.
      #
      # @param parameters [Array] which the request takes over
      # @param deadline [Numeric, nil] seconds, for queries that the conversion needs
      # @return [Request]
      def request_for(statement, parameters, deadline = nil)
        Request.query(statement, parameters) || converted(statement, parameters, deadline)
      end

      # Looking up the parameters' types takes time too.
      #
      # @param deadline [Numeric, nil] seconds
      # @return [Request]
      def converted(statement, parameters, deadline = nil)
        return Deadlines.hold(Deadlines.in(deadline)) { converted(statement, parameters) } if deadline

        statement, parameters = NamedParameters.resolve(@statements, statement, parameters)
        dependent = Parameters.dependent?(parameters)
        remembered = statement.parameter_types unless dependent && described_each_time?(statement, parameters)
        types = remembered || (described_types(statement, parameters) if dependent)
        check_count(parameters, types, statement.sql) if types
        return Request.converted(statement, converted_to(types, parameters)) unless dependent

        remembered ? dependent_on_remembered(types, statement, parameters) : Request.dependent(statement, converted_to(types, parameters), parameters, types)
      end

      # Types in the session that was queried; others may be outdated as soon as they are known.
      #
      # @return [Array<Integer>]
      def learned_types(statement)
        (statement.kept? && statement.parameter_types) || describe_request(Request.describe(statement)).parameter_types
      end

      # A pooler may have prepared the named statement for former types.
      #
      # @return [Array<Integer>, nil] the present types of the statement's parameters; nil: the server cannot be queried, as in a failed transaction
      def types_now(statement)
        describe_request(Request.describe(statement).anew.unnamed!).parameter_types
      rescue Error
        nil
      end

      # @raise [ArgumentError] the statement has another number of parameters
      def check_count(parameters, types, sql)
        return if parameters.size == types.size

        hint = if parameters.size == 1 && parameters.first.is_a?(Array) then ": pass parameters separately, not as one Array"
               elsif types.empty? && sql.match?(/'[^']*\$\d[^']*'/) then ": between quotes $1 is text; write it outside, as in '%' || $1 || '%'"
               elsif types.empty? then ": in SQL values are called $1, $2, ..."
               end
        message = "the statement has #{types.size} parameters, and #{parameters.size} were given#{hint}"
        raise ParameterMiscount.new(message, given: parameters.size, expected: types.size)
      end

      # @return [Boolean] whether a request that a read-only server has refused may be sent elsewhere
      def begins_elsewhere?(_request) = false

      # @return [ParseContext, nil] how SQL is parsed here; nil: by default
      def parse_context = nil

      # Hooks around operations that run a block; single queries have none here. With middlewares, {InstrumentedExecutor} overrides these methods, and
      # the public methods call no others for that.
      #
      # @param _kind [Symbol] as in {Operation#kind}
      def around_statement(_kind, _sql, _parameters = NO_PARAMETERS) = yield

      # Around several calls, a statement and its parameters each.
      def around_batch(_calls) = yield

      # Around a transaction with these options.
      def around_transaction(_options) = yield
      def around_connect = yield

      # Makes an executor that is created here use the middlewares, if there are any.
      #
      # @param executor [Executor]
      # @return [void]
      def observe(executor); end

      # Makes it use the middlewares.
      def instrument
        extend(InstrumentedExecutor)
        @object.extend(Instrumented) if @object.is_a?(Querying)
      end

      private

      # What is remembered of a statement that no session keeps prepared is not used: no check would find out that it has changed. Nor where servers do
      # not compare types, for values that would be others for another type.
      def described_each_time?(statement, parameters)
        !statement.kept? || (@responses.types_unchecked && Parameters.ambiguous?(parameters))
      end

      # A pooler may have prepared the named statement for former types; that there is one is known when the first connection is.
      def described_types(statement, parameters)
        unless described_each_time?(statement, parameters)
          types = describe_request(Request.describe(statement)).parameter_types
          return types unless described_each_time?(statement, parameters)
        end
        describe_request(Request.describe(statement).unnamed!).parameter_types
      end

      # A value may be refused because the parameter's type has changed.
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

      # A message longer than the server accepts would cost all callers the connection.
      def limited(parameters)
        if parameters.size > MOST_PARAMETERS
          raise ArgumentError, "a statement has #{MOST_PARAMETERS} parameters at most, and #{parameters.size} were given"
        end
        bytes = parameters.sum { |value| bytes_of(value) }
        return parameters if bytes <= Statements::LONGEST

        raise ArgumentError, "the parameters have #{bytes} bytes, and the server takes #{Statements::LONGEST} at most"
      end

      # An upper bound: a decimal digit has more than three bits. In binary, the server's count is in hexadecimal digits.
      def bytes_of(value)
        return value.bit_length / 3 if value.is_a?(Integer)
        return 0 unless value.is_a?(String)

        value.encoding == Encoding::BINARY ? value.bytesize * 2 : value.bytesize
      end
    end
    private_constant :Executor, :Request
  end
end
