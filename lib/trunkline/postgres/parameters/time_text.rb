# frozen_string_literal: true

module Trunkline
  module Postgres
    module Parameters
      # Times and dates in ISO 8601, in the proleptic Gregorian calendar and with "BC" as the server writes it. Fractions below a microsecond are
      # truncated, as Time#usec does.
      module TimeText
        class << self
          # @param value [Time, DateTime, Date]
          # @param oid [Integer] the parameter's type, 0 if unknown
          # @return [String] for a timestamp, the wall clock in UTC, as it is also read in UTC, with an offset that the server ignores, unless the
          #   column is a timestamptz by now; for date, time and timetz, the wall clock of the value's own zone, of which the server ignores what it
          #   does not store, unless the column is a timestamptz by now; for any other type, the time with its offset
          def of(value, oid)
            case value
            when DateTime then time(as_time(value.new_start(Date::GREGORIAN)), oid)
            when Date then date(value.new_start(Date::GREGORIAN))
            else time(value, oid)
            end
          end

          private

          # The same as DateTime#to_time in Ruby, which Active Support changes.
          def as_time(moment)
            Time.new(moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second + moment.second_fraction,
                     Integer(moment.offset * 86_400))
          end

          def time(time, oid)
            case oid
            when OIDs::TIMESTAMP, OIDs::TIMESTAMPTZ then moment(time.getutc, " ", "+00")
            when OIDs::DATE, OIDs::TIME, OIDs::TIMETZ then moment(time, " ", offset(time))
            else moment(time, "T", offset(time))
            end
          end

          def moment(time, separator, offset)
            "#{ymd(time)}#{separator}#{clock(time)}#{offset}#{era(time)}"
          end

          def date(date)
            ymd(date) + era(date)
          end

          # There is no year 0: it is written as 1 BC.
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
