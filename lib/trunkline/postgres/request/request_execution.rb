# frozen_string_literal: true

require_relative "../statements/named_parameters"
require_relative "../parameters"

module Trunkline
  module Postgres
    # SQL and parameters -> a request, carried out as often as it takes. Includers say how a request travels: `perform`.
    module RequestExecution # :nodoc:
      # Times that a request is sent elsewhere when the connection it was to take turns out to be dead.
      MOST_TRIES = 5
      # What a message can count.
      MOST_PARAMETERS = 65_535
      # What a server says when there are fewer or more parameters than it needs.
      MISCOUNTED = "08P01"
      # What it says when it, or the transaction, is read-only.
      READ_ONLY = "25006"
      private_constant :MOST_PARAMETERS, :MISCOUNTED, :READ_ONLY

      private

      # @param prepare [Boolean] whether connections keep the statement
      # @return [Result]
      def result_of(statement, parameters, prepare)
        request = Request.query(statement, parameters.dup) || converted(statement, parameters)
        request.unnamed! unless prepare
        perform(request)
        request.result(@result_class) || @responses.result(answered(request), @result_class)
      end

      # Finding out what types they are for takes time too.
      #
      # @param deadline [Numeric, nil] seconds
      def converted(statement, parameters, deadline = nil)
        return Deadlines.hold(Deadlines.in(deadline)) { converted(statement, parameters) } if deadline

        statement, parameters = NamedParameters.resolve(@statements, statement, parameters)
        dependent = Parameters.dependent?(parameters)
        types = dependent ? learned_types(statement) : statement.parameter_types
        check_count(parameters, types) if types
        converted = limited(Parameters.convert(parameters, types && @responses.parameter_types(types), @responses.array_nulls))
        dependent ? Request.dependent(statement, converted, parameters, types) : Request.converted(statement, converted)
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

      def learn(request)
        perform(request)
        answered(request)
      end

      def check_count(parameters, types)
        return if parameters.size == types.size

        hint = if parameters.size == 1 && parameters.first.is_a?(Array) then ": pass parameters separately, not as one Array"
               elsif types.empty? then ": in SQL values are called $1, $2, ..."
               end
        raise ArgumentError, "the statement has #{types.size} parameters, and #{parameters.size} were given#{hint}"
      end

      # @return [Request] answered
      # @raise [Error]
      def answered(request)
        request = answered_in_the_end(request) unless request.answered?
        @responses.announce(request)
        request
      end

      def answered_in_the_end(request)
        tries = 1
        moved = false
        until request.answered? || request.flowing?
          error = @responses.error(request)
          state = error.sqlstate
          check_what_was_miscounted(request) if state == MISCOUNTED
          request = another_try(request, error) if tries < MOST_TRIES || request.bystander?
          if state == READ_ONLY && !moved
            moved = true
            request = request.again if begins_elsewhere?(request)
          end
          raise announced(error, request) if request.done?

          tries += 1
          perform(request)
        end
        request
      end

      # @return [Boolean] whether a request that was refused as its server is read-only may be sent elsewhere
      def begins_elsewhere?(_request) = false

      def announced(error, request)
        @responses.announce(request)
        error
      end

      # The first execution of a statement meets a wrong number of parameters on the server, later ones meet it here.
      def check_what_was_miscounted(request)
        types = request.statement&.parameter_types
        check_count(request.parameters, types) if types
      end

      # A statement that is not what was remembered of it is prepared anew, once, unnoticed.
      #
      # @return [Request] the same one when there is no point in another
      # @raise [Cancelled] there would be, but for its caller
      def another_try(request, error)
        resendable = resendable?(request, error)
        return request unless resendable || preparable_anew?(request)
        raise announced(@responses.cancelled(request, error), request) if request.cancelled? && !request.deadline_passed?

        resendable ? request.again : prepared_anew(request)
      end

      # It has had no effect, or may have one twice. A session cannot go on elsewhere.
      def resendable?(request, error)
        return !answered_within_transaction?(request) if request.bystander?

        error.is_a?(NotSent) || (error.is_a?(Indeterminate) && request.idempotent? && !request.pinned?)
      end

      def preparable_anew?(request) = request.outdated? && !request.anew? && !answered_within_transaction?(request)

      # What depends on the parameters' types waits until they are known again.
      def prepared_anew(request)
        return request.anew unless request.given

        learn(Request.describe(request.statement).limit_as(request).anew)
        converted(request.statement, request.given).limit_as(request)
      end

      def answered_within_transaction?(request) = !request.status.nil? && request.status != "I"
    end
    private_constant :RequestExecution, :Request
  end
end
