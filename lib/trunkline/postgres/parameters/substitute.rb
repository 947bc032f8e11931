# frozen_string_literal: true

require "bigdecimal"
require "set"
require_relative "../../interval"
require_relative "decimal_text"

module Trunkline
  module Postgres
    module Parameters
      # Converts values of other libraries to equivalent ones. None of the libraries is loaded for it.
      module Substitute # :nodoc:
        # Types for which a duration is a count of seconds: int8, int2, int4, float4, float8, numeric.
        NUMBERS = [20, 21, 23, 700, 701, 1700].freeze
        DAYS_OF_MONTH = 30 # as the server converts fractions of months
        SECONDS_OF_DAY = 86_400 # likewise
        private_constant :NUMBERS, :DAYS_OF_MONTH, :SECONDS_OF_DAY

        class << self
          # @param value [Object]
          # @param oid [Integer, #encode] the server's type, 0 while unknown
          # @return [Array, String, Integer, Float, Rational, BigDecimal, Interval, nil] nil: there is no equivalent
          def of(value, oid)
            case value
            when Set then value.to_a
            when *texts then value.to_s
            when *durations then NUMBERS.include?(oid) ? value.value : interval(value.parts)
            end
          end

          private

          def texts = [(::Pathname if defined?(::Pathname)), (::URI::Generic if defined?(::URI::Generic))].compact
          def durations = defined?(::ActiveSupport::Duration) ? [::ActiveSupport::Duration] : []

          # @param parts [Hash{Symbol => Numeric}]
          def interval(parts)
            count = ->(unit) { parts.fetch(unit, 0).to_r }
            months = (count[:years] * 12) + count[:months]
            days = (count[:weeks] * 7) + count[:days] + ((months - months.truncate) * DAYS_OF_MONTH)
            seconds = (count[:hours] * 3600) + (count[:minutes] * 60) + count[:seconds] + ((days - days.truncate) * SECONDS_OF_DAY)
            Interval.new(months: months.truncate, days: days.truncate, microseconds: (seconds * 1_000_000).round)
          end
        end
      end
      private_constant :Substitute
    end
  end
end
