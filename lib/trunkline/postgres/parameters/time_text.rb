# frozen_string_literal: true

module Trunkline
  module Postgres
    module Parameters
      # Moments and dates in ISO 8601, in the proleptic Gregorian calendar and with "BC" as the server writes it.
      # Fractions below the microsecond are cut off, as Time#usec does.
      module TimeText
        class << self
          # @param value [Time, DateTime, Date]
          # @param oid [Integer] what the server takes it for, 0 if it is not known
          # @return [String] a timestamp gets the wall clock in UTC (as it is read back in UTC), and ignores the offset, which matters where
          #   the column is a timestamptz by now; date, time and timetz
          #   get what the value's own zone shows; any other type the moment with its offset
          def of(value, oid)
            case value
            when DateTime then time(as_time(value.new_start(Date::GREGORIAN)), oid)
            when Date then date(value.new_start(Date::GREGORIAN))
            else time(value, oid)
            end
          end

          private

          # What DateTime#to_time does in Ruby, and Active Support has it do otherwise.
          def as_time(moment)
            Time.new(moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second + moment.second_fraction,
                     Integer(moment.offset * 86_400))
          end

          def time(time, oid)
            case oid
            when OIDs::TIMESTAMP, OIDs::TIMESTAMPTZ then moment(time.getutc, " ", "+00")
            when OIDs::DATE then date(time)
            when OIDs::TIME then clock(time)
            when OIDs::TIMETZ then clock(time) + offset(time)
            else moment(time, "T", offset(time))
            end
          end

          def moment(time, separator, offset)
            "#{ymd(time)}#{separator}#{clock(time)}#{offset}#{era(time)}"
          end

          def date(date)
            ymd(date) + era(date)
          end

          # There is no year 0: it is 1 BC.
          def ymd(date)
            year = date.year.positive? ? date.year : 1 - date.year
            format("%04d-%02d-%02d", year, date.month, date.day)
          end

          def era(date)
            date.year.positive? ? "" : " BC"
          end

          def clock(time)
            text = format("%02d:%02d:%02d", time.hour, time.min, time.sec)
            time.usec.zero? ? text : "#{text}.#{format("%06d", time.usec)}"
          end

          def offset(time)
            minutes, seconds = time.utc_offset.to_i.abs.divmod(60)
            text = format("%s%02d:%02d", time.utc_offset.negative? ? "-" : "+", *minutes.divmod(60))
            seconds.zero? ? text : "#{text}:#{format("%02d", seconds)}"
          end
        end
      end
    end
  end
end
