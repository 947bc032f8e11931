# frozen_string_literal: true

require "date"
require_relative "shifted_time"

module Trunkline
  class Interval
    # Arithmetic with intervals, with the server's rules.
    #
    #   month = Trunkline::Interval.new(months: 1)
    #   month.after(Time.utc(2024, 1, 31))     # => 2024-02-29 00:00:00 UTC
    #   month + month                          # => #<Trunkline::Interval P2M>
    module Arithmetic
      # @param other [Interval, Time, DateTime, Date]
      # @return [Interval] the sum of two; for a Time, DateTime or Date as {#after}
      # @raise [TypeError] it is none of these
      def +(other)
        return after(other) unless other.is_a?(Interval)

        Interval.new(months: months + other.months, days: days + other.days, microseconds: microseconds + other.microseconds)
      end

      # @param other [Interval]
      # @return [Interval]
      # @raise [TypeError] it is not an Interval
      def -(other)
        raise TypeError, "an Interval is taken from an Interval, not #{Argument.class_of(other)}; from a Time by interval.before(time)" unless other.is_a?(Interval)

        self + -other
      end

      # @return [Interval] with the opposite sign
      def -@ = self * -1

      # @param factor [Integer]
      # @return [Interval] multiplied
      # @raise [TypeError] it is not an Integer
      def *(factor)
        raise TypeError, "an Interval is multiplied by an Integer, not #{Argument.class_of(factor)}" unless factor.is_a?(Integer)

        Interval.new(months: months * factor, days: days * factor, microseconds: microseconds * factor)
      end

      # Months are added first: a day that the month does not have becomes its last one. Then days, by the wall clock of the time's own zone; then the
      # rest.
      #
      # @param moment [Time, DateTime, Date]
      # @return [Time, DateTime, Date] in the same zone; for a Date a Date, or if the interval has more than days, a Time in UTC
      # @raise [TypeError] it is none of these
      def after(moment)
        return moment.advance(months: months, days: days, seconds: Rational(microseconds, 1_000_000)) if moment.respond_to?(:time_zone)

        case moment
        when Time then ShiftedTime.of(moment, self)
        when DateTime then (moment >> months) + days + Rational(microseconds, 86_400_000_000)
        when Date then after_date(moment)
        else raise TypeError, "an Interval is added to an Interval, a Time, a DateTime or a Date, not #{Argument.class_of(moment)}"
        end
      end

      # @param moment [Time, DateTime, Date]
      # @return [Time, DateTime, Date] as {#after}
      # @raise [TypeError] it is none of these
      def before(moment) = (-self).after(moment)

      private

      def after_date(date)
        return (date >> months) + days if microseconds.zero?

        after(Time.utc(date.year, date.month, date.day))
      end
    end
  end
end
