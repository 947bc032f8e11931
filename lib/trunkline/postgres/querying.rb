# frozen_string_literal: true

require_relative "answers"
require_relative "asking"
require_relative "future"

module Trunkline
  module Postgres
    # The verbs that a client and a session have in common.
    module Querying
      include Asking

      # Runs one statement. It is prepared on first use.
      #
      # @param sql [String] with $1, $2, ... for parameters
      # @param parameters one Ruby value per placeholder: nil, true, false, Integer, Float, Rational, BigDecimal, String,
      #   Symbol, Time, Date, DateTime, Array, Hash, Range, IPAddr, Interval, TimeOfDay
      # @return [Result]
      # @raise [ServerError] what the server refused; nothing of the statement has happened
      # @raise [NotSent] no connection took it; it may be tried again
      # @raise [Indeterminate] it was sent and the connection was lost before the answer
      # @raise [ArgumentError, TypeError, EncodingError] a parameter cannot be sent, or there are too few or too many
      def query(sql, *parameters)
        statement = @statements[sql]
        request = Request.query(statement, parameters) || converted(statement, parameters)
        perform(request)
        request.result(@result_class) || @answers.result(answered(request), @result_class)
      end

      # @return [Hash, nil] the first row of what {query} returns
      def first(sql, *parameters) = query(sql, *parameters)[0]

      # @return [Object, nil] the first column of the first row of what {query} returns
      def value(sql, *parameters)
        statement = @statements[sql]
        request = Request.query(statement, parameters) || converted(statement, parameters)
        perform(request)
        request.plain? ? request.value : @answers.result(answered(request), @result_class).value
      end

      # Sends one statement and goes on without waiting.
      #
      # @return [Future] whose value is what {query} would have returned
      def async(sql, *parameters)
        statement = @statements[sql]
        request = Request.query(statement, parameters) || converted(statement, parameters)
        Future.new(dispatch(request), request) do |done|
          @answers.result(answered(done), @result_class)
        end
      end
    end
  end
end
