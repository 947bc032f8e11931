# frozen_string_literal: true

require "date"

module Trunkline
  class Interval
    # Adds an Interval to a Time, in the zone of the Time.
    module ShiftedTime # :nodoc:
      module_function

      # @param time [Time]
      # @param interval [Interval]
      # @return [Time]
      def of(time, interval)
        shifted = interval.months.zero? ? time : on_day(time, day_of(time) >> interval.months)
        shifted = on_day(shifted, day_of(shifted) + interval.days) unless interval.days.zero? # by the wall clock, which the months may have changed
        shifted + Rational(interval.microseconds, 1_000_000)
      end

      # Ruby's Time uses the Gregorian calendar only, as the server does.
      def day_of(time) = Date.new(time.year, time.month, time.day, Date::GREGORIAN)

      # The same wall clock time. Of two times with the same wall clock, the later one applies, as on the server.
      def on_day(time, date)
        clock = [date.year, date.month, date.day, time.hour, time.min, time.sec + time.subsec]
        return Time.utc(*clock) if time.utc?
        return Time.new(*clock, time.zone) unless time.zone.nil? || time.zone.is_a?(String)
        return Time.new(*clock, time.utc_offset) unless local?(time)

        later_of_two(Time.local(*clock))
      end

      def local?(time)
        local = time.getlocal
        local.zone == time.zone && local.utc_offset == time.utc_offset
      end

      def later_of_two(time)
        shift = time.utc_offset - (time + 3600).utc_offset
        later = time + shift
        shift.positive? && [later.hour, later.min] == [time.hour, time.min] ? later : time
      end
      private_class_method :day_of, :on_day, :local?, :later_of_two
    end
    private_constant :ShiftedTime
  end
end
