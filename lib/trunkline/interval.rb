# frozen_string_literal: true

require_relative "interval/arithmetic"

module Trunkline
  # PostgreSQL's +interval+: months, days and microseconds, kept apart because a month has
  # no fixed count of days and a day no fixed count of hours. Immutable.
  #
  #   Trunkline::Interval.new(months: 14, days: -3, microseconds: 4_500_000).to_s  # => "P1Y2M-3DT4.5S"
  class Interval
    include Arithmetic

    # Set by decoders in C, too, which do not call {initialize}, in this order.
    INSTANCE_VARIABLES = %i[@months @days @microseconds].freeze
    private_constant :INSTANCE_VARIABLES

    # Each of the three may be negative, independently of the others.
    attr_reader :months, :days, :microseconds

    # @param months [Integer]
    # @param days [Integer]
    # @param microseconds [Integer]
    # @raise [TypeError] when one of them is not an Integer
    def initialize(months: 0, days: 0, microseconds: 0)
      unless months.is_a?(Integer) && days.is_a?(Integer) && microseconds.is_a?(Integer)
        raise TypeError, "months, days and microseconds must be Integers"
      end

      @months = months
      @days = days
      @microseconds = microseconds
      freeze
    end

    # @return [String] ISO 8601, which the server takes as input: "P1Y2M-3DT4H5M6.789S"
    def to_s
      date = designate(@months.abs.divmod(12), %w[Y M], @months) + designate([@days.abs], %w[D], @days)
      time = clock_text
      return "PT0S" if date.empty? && time.empty?

      time.empty? ? "P#{date}" : "P#{date}T#{time}"
    end

    # @return [String] the text, which ActiveSupport uses for JSON; without it, JSON does the same
    def as_json(*_options) = to_s

    # @return [String] the class and the text
    def inspect
      "#<#{self.class} #{self}>"
    end

    # @return [Boolean] whether all three parts are the same; a month never equals 30 days
    def ==(other)
      other.is_a?(Interval) && @months == other.months && @days == other.days && @microseconds == other.microseconds
    end
    alias eql? ==

    # @return [Integer] equal for equal values
    def hash
      [Interval, @months, @days, @microseconds].hash
    end

    private

    def clock_text
      seconds, fraction = @microseconds.abs.divmod(1_000_000)
      minutes, seconds = seconds.divmod(60)
      text = designate(minutes.divmod(60), %w[H M], @microseconds)
      return text if seconds.zero? && fraction.zero?

      sign = @microseconds.negative? ? "-" : ""
      decimals = fraction.zero? ? "" : format(".%06d", fraction).sub(/(?<!0)0+\z/, "")
      "#{text}#{sign}#{seconds}#{decimals}S"
    end

    # Numbers with their letters, each with the sign of the whole; zeros are omitted.
    def designate(numbers, letters, whole)
      sign = whole.negative? ? "-" : ""
      numbers.zip(letters).reject { |number, _| number.zero? }.map { |number, letter| "#{sign}#{number}#{letter}" }.join
    end
  end
end
