# frozen_string_literal: true

require_relative "parameters"

module Trunkline
  module Postgres
    # SQL and parameters -> a request, carried out as often as it takes. Includers say how a request travels: `perform`.
    module Asking # :nodoc:
      # Statements that the session has lost, and plans that no longer fit: prepared anew, once, and never shown.
      STALE = %w[26000 0A000].freeze
      # Times that a request is sent elsewhere when the connection it was to take turns out to be dead.
      MOST_TRIES = 5
      private_constant :STALE, :MOST_TRIES

      private

      def converted(statement, parameters)
        learn(statement) if statement.parameter_types.nil? && Parameters.dependent?(parameters)
        types = statement.parameter_types
        check_count(parameters, types) if types
        Request.converted(statement, Parameters.convert(parameters, types && @answers.parameter_types(types)))
      end

      def learn(statement)
        request = Request.describe(statement)
        perform(request)
        answered(request)
      end

      def check_count(parameters, types)
        return if parameters.size == types.size

        hint = ": pass parameters separately, not as one Array" if parameters.size == 1 && parameters.first.is_a?(Array)
        raise ArgumentError, "the statement has #{types.size} parameters, and #{parameters.size} were given#{hint}"
      end

      # @return [Request] answered
      # @raise [Error]
      def answered(request)
        tries = 1
        until request.answered?
          check_count(request.parameters, request.statement.parameter_types) if miscounted?(request)
          error = @answers.error(request)
          raise error unless tries < MOST_TRIES && worth_another_try?(request, error)

          tries += 1
          request = request.again
          perform(request)
        end
        request
      end

      # The first execution of a statement meets a wrong number of parameters on the server, later ones meet it here.
      def miscounted?(request)
        request.statement&.parameter_types && request.parameters.size != request.statement.parameter_types.size && request.parameters.any?
      end

      def worth_another_try?(request, error)
        return true if error.is_a?(NotSent)
        return false if request.anew? || in_transaction?(request)

        STALE.include?(error.sqlstate) || outdated_types?(request, error)
      end

      # Parse with parameter types told earlier failed: since then a column may have another type.
      def outdated_types?(request, error)
        return false unless request.parses? && !request.prepared.parsed? && error.sqlstate&.start_with?("42")

        request.statement.forget
        true
      end

      def in_transaction?(request) = !request.status.nil? && request.status != "I"
    end
    private_constant :Asking, :Request
  end
end
