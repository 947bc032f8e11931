# frozen_string_literal: true

class Differential
  # What a statement returned: its rows of values and, from the pg gem, of text; or SQLSTATE, the name of the error's class, and message.
  class Answer
    # In place of a value that the pg gem cannot decode.
    UNKNOWN = Object.new.tap { |unknown| def unknown.inspect = "?" }.freeze

    # @return [Array<Array>, nil]
    attr_reader :values
    # @return [Array<Array<String>>, nil]
    attr_reader :texts
    # @return [Array(String, String, String), nil]
    attr_reader :failure

    # @param error [StandardError] of Trunkline
    # @return [Answer]
    def self.failed(error)
      return new(failure: [error.class.name, error.message]) unless error.is_a?(Trunkline::ServerError)

      new(failure: [error.sqlstate, error.class.name[/\w+\z/], error.primary_message])
    end

    def initialize(values: nil, texts: nil, failure: nil)
      @values = values
      @texts = texts
      @failure = failure
    end

    # @param answer [Answer] of Trunkline
    # @return [Boolean] whether its values are equal to these, where these are known
    def agrees?(answer) = failure == answer.failure && equal_values?(values, answer.values, false)

    # @param answer [Answer] of Trunkline too
    # @return [Boolean] whether its values are of the same classes as well
    def same?(answer) = failure == answer.failure && equal_values?(values, answer.values, true)

    # @return [String] for a report
    def shown = (failure || [texts, values].compact).inspect

    private

    def equal_values?(one, other, classes)
      return true if one.equal?(UNKNOWN)
      return other.is_a?(Array) && one.size == other.size && one.zip(other).all? { |a, b| equal_values?(a, b, classes) } if one.is_a?(Array)
      return false if classes && !one.instance_of?(other.class)

      one == other || (one.respond_to?(:nan?) && other.respond_to?(:nan?) && one.nan? && other.nan?)
    end
  end
end
