# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"
require "support/time_zones"

module Trunkline
  class DecodeTimestampTest < TestCase
    include DecodedValues
    include TimeZones

    TIMESTAMP = 1114
    TIMESTAMPTZ = 1184
    EPOCH = Time.utc(2000)

    # Text without a zone => the moment in UTC.
    MOMENTS = {
      "2024-02-29 12:34:56.789" => Time.utc(2024, 2, 29, 12, 34, Rational(56_789, 1000)),
      "2000-01-01 00:00:00" => EPOCH,
      "1999-12-31 23:59:59.999999" => EPOCH - Rational(1, 1_000_000),
      "1969-12-31 23:59:59.5" => Time.at(-0.5).utc,
      "0001-01-01 00:00:00" => Time.utc(1),
      "0044-03-15 01:02:03.000001 BC" => Time.utc(-43, 3, 15, 1, 2, 3, 1),
      "4714-11-24 00:00:00 BC" => Time.utc(-4713, 11, 24),
      "10000-01-01 00:00:00" => Time.utc(10_000),
      "294276-12-31 23:59:59.999999" => Time.utc(294_276, 12, 31, 23, 59, Rational(59_999_999, 1_000_000))
    }.freeze

    def test_both_formats
      MOMENTS.each do |string, moment|
        assert_same_value moment, text(TIMESTAMP, string), string
        assert_same_value moment, binary(TIMESTAMP, wire(moment)), string
        assert_same_value moment, binary(TIMESTAMPTZ, wire(moment)), string
      end
    end

    def test_a_timestamp_is_in_utc_and_one_with_a_zone_in_local_time
      in_zone("America/New_York") do
        [text(TIMESTAMP, "2024-07-01 12:00:00"), binary(TIMESTAMP, wire(EPOCH))].each { |time| assert_predicate time, :utc? }
        [text(TIMESTAMPTZ, "2024-07-01 12:00:00+00"), binary(TIMESTAMPTZ, wire(Time.utc(2024, 7, 1, 12)))].each do |time|
          refute_predicate time, :utc?
          assert_equal [8, -14_400, "EDT"], [time.hour, time.utc_offset, time.zone]
        end
      end
    end

    def test_offsets
      noon = Time.utc(2024, 2, 29, 12)
      { "2024-02-29 12:00:00+00" => 0, "2024-02-29 13:00:00+01" => 0, "2024-02-29 17:30:00+05:30" => 0,
        "2024-02-29 06:29:45-05:30:15" => 0, "2024-03-01 03:59:59+15:59:59" => 0, "2024-02-29 12:00:00.5-00:00:01" => 1.5 }
        .each { |string, later| assert_same_value noon + later, text(TIMESTAMPTZ, string), string }
      assert_same_value Time.utc(-43, 3, 14, 23, 6, 32), text(TIMESTAMPTZ, "0044-03-15 00:00:00+00:53:28 BC")
    end

    def test_infinity
      [TIMESTAMP, TIMESTAMPTZ].each do |oid|
        assert_same_value Float::INFINITY, text(oid, "infinity")
        assert_same_value(-Float::INFINITY, text(oid, "-infinity"))
        assert_same_value Float::INFINITY, binary(oid, [(2**63) - 1].pack("q>"))
        assert_same_value(-Float::INFINITY, binary(oid, [-(2**63)].pack("q>")))
      end
    end

    def test_malformed
      shared = ["", "2024-01-01", "2024-01-01T00:00:00", "2024-01-01 24:00:00", "2024-01-01 00:60:00", "2024-01-01 00:00:60",
                "2024-01-01 00:00", "2024-01-01 00:00:00.", "2024-01-01 00:00:00.1234567", "2024-02-30 00:00:00", "infinit",
                "9999999-01-01 00:00:00", "2024-01-01 00:00:00 CB"]
      assert_malformed "timestamp", TIMESTAMP, 0, *shared, "2024-01-01 00:00:00+00"
      assert_malformed "timestamptz", TIMESTAMPTZ, 0, *shared, "2024-01-01 00:00:00", "2024-01-01 00:00:00+", "2024-01-01 00:00:00+1",
                       "2024-01-01 00:00:00+16", "2024-01-01 00:00:00+01:", "2024-01-01 00:00:00+01:60", "2024-01-01 00:00:00+01:00:60",
                       "9999999-01-01 00:00:00+00", "2024-01-01 00:00:00 BC+00"
      { "timestamp" => TIMESTAMP, "timestamptz" => TIMESTAMPTZ }.each { |name, oid| assert_exact_length name, oid, wire(EPOCH) }
    end

    private

    def wire(moment)
      [((moment.to_r - EPOCH.to_r) * 1_000_000).to_i].pack("q>")
    end
  end
end
