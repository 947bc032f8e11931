# frozen_string_literal: true

module Trunkline
  # A time without a date, as PostgreSQL's +time+ and +timetz+ hold it. Immutable.
  #
  #   Trunkline::TimeOfDay.new(45_296_500_000).to_s          # => "12:34:56.5"
  #   Trunkline::TimeOfDay.new(45_296_000_000, 19_800).to_s  # => "12:34:56+05:30"
  class TimeOfDay
    include Comparable

    # The end of the day, "24:00:00", differs from its begin.
    DAY = 86_400_000_000

    # Set by decoders in C, too, which do not call {initialize}, in this order.
    INSTANCE_VARIABLES = %i[@microseconds @utc_offset].freeze
    private_constant :INSTANCE_VARIABLES

    # Microseconds since midnight, 0 to 86_400_000_000.
    attr_reader :microseconds

    # Seconds east of UTC; nil: the time has no zone.
    attr_reader :utc_offset

    # @param microseconds [Integer] since midnight, 0 to 86_400_000_000
    # @param utc_offset [Integer, nil] seconds east of UTC, less than a day
    # @raise [ArgumentError] when one of them is out of range
    # @raise [TypeError] when one of them is not an Integer
    def initialize(microseconds, utc_offset = nil)
      check(microseconds, 0, DAY, "microseconds")
      check(utc_offset, -86_399, 86_399, "utc_offset") if utc_offset
      @microseconds = microseconds
      @utc_offset = utc_offset
      freeze
    end

    # @return [Integer] 0 to 24
    def hour
      @microseconds / 3_600_000_000
    end

    # @return [Integer] 0 to 59
    def minute
      @microseconds / 60_000_000 % 60
    end

    # @return [Integer] 0 to 59
    def second
      @microseconds / 1_000_000 % 60
    end

    # @return [Integer] microseconds of the second, 0 to 999_999
    def usec
      @microseconds % 1_000_000
    end

    # @return [String] as the server writes it: "12:34:56.789+05:30"
    def to_s
      text = format("%02d:%02d:%02d", hour, minute, second)
      text << format(".%06d", usec).sub(/(?<!0)0+\z/, "") unless usec.zero?
      text << offset_text if @utc_offset
      text
    end

    # @return [String] the text, which ActiveSupport uses for JSON; without it, JSON does the same
    def as_json(*_options) = to_s

    # @return [String] the class and the text
    def inspect
      "#<#{self.class} #{self}>"
    end

    # Orders as the server does: by the time in UTC, then by the zone from east to west.
    #
    # @return [Integer, nil] nil if the other is not a TimeOfDay, or only one has a zone
    def <=>(other)
      return unless other.is_a?(TimeOfDay) && @utc_offset.nil? == other.utc_offset.nil?
      return @microseconds <=> other.microseconds unless @utc_offset

      [moment, -@utc_offset] <=> [other.moment, -other.utc_offset]
    end

    # @return [Boolean] whether both the time and the zone are the same
    def ==(other)
      other.is_a?(TimeOfDay) && @microseconds == other.microseconds && @utc_offset == other.utc_offset
    end
    alias eql? ==

    # @return [Integer] equal for equal values
    def hash
      [TimeOfDay, @microseconds, @utc_offset].hash
    end

    protected

    def moment
      @microseconds - (@utc_offset * 1_000_000)
    end

    private

    def check(value, min, max, name)
      raise TypeError, "#{name} must be an Integer, not #{Argument.class_of(value)}" unless Argument.is?(value, Integer)
      raise ArgumentError, "#{name} must be between #{min} and #{max}, not #{value}" if value < min || value > max
    end

    # "+05", "+05:30" or "+05:30:15", as short as can be.
    def offset_text
      minutes, seconds = @utc_offset.abs.divmod(60)
      hours, minutes = minutes.divmod(60)
      text = format("%s%02d", @utc_offset.negative? ? "-" : "+", hours)
      text << format(":%02d", minutes) if minutes.positive? || seconds.positive?
      text << format(":%02d", seconds) if seconds.positive?
      text
    end
  end
end
