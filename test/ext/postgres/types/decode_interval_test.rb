# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  class DecodeIntervalTest < TestCase
    include DecodedValues

    INTERVAL = 1186
    HOUR = 3_600_000_000

    # Text => months, days, microseconds.
    INTERVALS = {
      "00:00:00" => [0, 0, 0],
      "1 year 2 mons 3 days 04:05:06.789" => [14, 3, 14_706_789_000],
      "1 year 2 mons -3 days +04:05:06.789" => [14, -3, 14_706_789_000],
      "-1 years -1 mons +1 day -00:00:00.000001" => [-13, 1, -1],
      "1 mon" => [1, 0, 0],
      "100:00:00" => [0, 0, 100 * HOUR],
      "2562047788:00:54.775807" => [0, 0, (2**63) - 1],
      "-2562047788:00:54.775808" => [0, 0, -(2**63)],
      "-178956970 years -8 mons -2147483648 days" => [-(2**31), -(2**31), 0],
      "178956970 years 7 mons 2147483647 days" => [(2**31) - 1, (2**31) - 1, 0]
    }.freeze

    def test_both_formats
      INTERVALS.each do |string, (months, days, microseconds)|
        interval = Interval.new(months: months, days: days, microseconds: microseconds)
        assert_same_value interval, text(INTERVAL, string), string
        assert_same_value interval, binary(INTERVAL, [microseconds, days, months].pack("q>l>l>")), string
      end
    end

    def test_infinity
      assert_same_value Float::INFINITY, text(INTERVAL, "infinity")
      assert_same_value(-Float::INFINITY, text(INTERVAL, "-infinity"))
      assert_same_value Float::INFINITY, binary(INTERVAL, [(2**63) - 1, (2**31) - 1, (2**31) - 1].pack("q>l>l>"))
      assert_same_value(-Float::INFINITY, binary(INTERVAL, [-(2**63), -(2**31), -(2**31)].pack("q>l>l>")))
    end

    def test_malformed
      assert_malformed "interval", INTERVAL, 0, "", " ", "1", "1 day ", "day", "1 week", "1day", "1 day  00:00:00", "00:00", "00:00:0",
                       "00:60:00", "00:00:60", "00:00:00.", "00:00:00 1 day", "99999999999 days", "2147483648 days",
                       "178956971 years", "178956970 years 8 mons", "2562047788:00:54.775808", "-2562047788:00:54.775809",
                       "9999999999:59:59", "P1Y", "1 day-", "--1 day", "1 dayss"
      assert_exact_length "interval", INTERVAL, [1, 2, 3].pack("q>l>l>")
    end
  end
end
