# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  class DecodeTimeTest < TestCase
    include DecodedValues

    TIME = 1083
    TIMETZ = 1266

    def test_times
      { "00:00:00" => 0, "12:34:56.789" => 45_296_789_000, "23:59:59.999999" => 86_399_999_999, "24:00:00" => 86_400_000_000 }
        .each do |string, microseconds|
          assert_same_value TimeOfDay.new(microseconds), text(TIME, string)
          assert_same_value TimeOfDay.new(microseconds), binary(TIME, [microseconds].pack("q>"))
        end
    end

    # On the wire the offset counts westwards.
    def test_times_with_a_zone
      { "12:00:00+00" => 0, "12:00:00+05:30" => 19_800, "12:00:00-05:30:15" => -19_815, "12:00:00+15:59:59" => 57_599 }
        .each do |string, offset|
          assert_same_value TimeOfDay.new(43_200_000_000, offset), text(TIMETZ, string)
          assert_same_value TimeOfDay.new(43_200_000_000, offset), binary(TIMETZ, [43_200_000_000, -offset].pack("q>l>"))
        end
    end

    def test_malformed
      shared = ["", "12", "12:00", "1:00:00", "25:00:00", "24:00:01", "24:00:00.000001", "12:60:00", "12:00:60", "12:00:00.",
                "12:00:00 PM", "noon"]
      assert_malformed "time", TIME, 0, *shared, "12:00:00+00"
      assert_malformed "timetz", TIMETZ, 0, *shared, "12:00:00", "12:00:00+16", "12:00:00+00 "
      assert_malformed "time", TIME, 1, [-1].pack("q>"), [86_400_000_001].pack("q>")
      assert_malformed "timetz", TIMETZ, 1, [-1, 0].pack("q>l>"), [0, 86_400].pack("q>l>"), [0, -(2**31)].pack("q>l>")
      assert_exact_length "time", TIME, [1].pack("q>")
      assert_exact_length "timetz", TIMETZ, [1, 0].pack("q>l>")
    end
  end
end
