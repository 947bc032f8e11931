# frozen_string_literal: true

require_relative "../interval"

module Trunkline
  module ActiveRecord
    # ActiveRecord reads intervals in ISO 8601. Behind a pooler that refuses the setting IntervalStyle, the server writes them in its default style:
    # "1 year 2 mons -3 days +04:05:06.7". Text in ISO 8601 is not changed.
    module IsoInterval # :nodoc:
      UNITS = { "year" => [:months, 12], "mon" => [:months, 1], "day" => [:days, 1] }.freeze
      # The lookbehind prevents matching from each digit of a number, which would take quadratic time.
      CLOCK = /(?<!\d)([+-]?)(\d++):(\d++):(\d++)(?:\.(\d++))?\z/
      COUNT = /(?<!\d)(-?\+?\d++) (year|mon|day)/
      # An element of an array, other than NULL; it contains neither quotes nor backslashes.
      ELEMENT = /"([^"]*)"|(?<=[{,])(?!NULL[,}])[^{},"]+/
      private_constant :UNITS, :CLOCK, :COUNT, :ELEMENT

      module_function

      # @param text [String] the server's text of an interval
      # @return [String]
      def of(text) = text.match?(/\A(?:P|-?infinity)/) ? text : Interval.new(**parts(text)).to_s

      # @param text [String] the server's text of an array of intervals
      # @return [String] text of an array
      def of_array(text) = text.gsub(ELEMENT) { |element| of(element.delete('"')) }

      def parts(text)
        parts = { months: 0, days: 0, microseconds: microseconds(text) }
        text.scan(COUNT) do |count, unit|
          part, times = UNITS.fetch(unit)
          parts[part] += count.to_i * times
        end
        parts
      end

      def microseconds(text)
        sign, hours, minutes, seconds, fraction = text.match(CLOCK)&.captures
        return 0 unless hours

        count = (((hours.to_i * 60) + minutes.to_i) * 60 + seconds.to_i) * 1_000_000 + fraction.to_s.ljust(6, "0").to_i
        sign == "-" ? -count : count
      end
      private_class_method :parts, :microseconds
    end
    private_constant :IsoInterval
  end
end
