# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    module Parameters
      class TimeTextTest < TestCase
        TYPES = { date: 1082, time: 1083, timestamp: 1114, timestamptz: 1184, timetz: 1266, text: 25, unknown: 0 }.freeze
        TIME = Time.new(2024, 1, 2, 3, 4, 5 + Rational(1_234_567, 10_000_000), "+05:30")

        def test_each_type_takes_its_part
          expected = { date: "2024-01-02 03:04:05.123456+05:30", time: "2024-01-02 03:04:05.123456+05:30", timestamp: "2024-01-01 21:34:05.123456+00",
                       timestamptz: "2024-01-01 21:34:05.123456+00", timetz: "2024-01-02 03:04:05.123456+05:30",
                       text: "2024-01-02T03:04:05.123456+05:30", unknown: "2024-01-02T03:04:05.123456+05:30" }
          assert_equal expected, TYPES.transform_values { |oid| TimeText.of(TIME, oid) }
        end

        def test_a_date_with_a_time_is_a_moment
          moment = DateTime.new(2024, 1, 2, 3, 4, 5 + Rational(1_234_567, 10_000_000), "+05:30")
          TYPES.each_value { |oid| assert_equal TimeText.of(TIME, oid), TimeText.of(moment, oid) }
        end

        def test_fractions_are_cut_off
          assert_equal "1969-12-31 23:59:59.999999+00", TimeText.of(Time.at(Rational(-1, 10_000_000)), 1114)
          assert_equal "1970-01-01 00:00:00+00", TimeText.of(Time.at(Rational(9, 10_000_000)), 1114)
        end

        def test_years_before_and_after_the_usual
          assert_equal "0044-03-15 00:00:00+00 BC", TimeText.of(Time.utc(-43, 3, 15), 1184)
          assert_equal "0001-03-15T00:00:00+00:00 BC", TimeText.of(Time.utc(0, 3, 15), 0)
          assert_equal "12345-03-15 00:00:00+00", TimeText.of(Time.utc(12_345, 3, 15), 1114)
          assert_equal "0001-01-01 BC", TimeText.of(Date.new(0, 1, 1, Date::GREGORIAN), 1082)
        end

        def test_offsets
          { 0 => "+00:00", -19_815 => "-05:30:15", 3600 => "+01:00" }.each do |offset, text|
            assert_equal "1970-01-01T12:00:00#{text}", TimeText.of(Time.new(1970, 1, 1, 12, 0, 0, offset), 0)
          end
        end

        # The day is the same; only what Ruby's two calendars call it differs.
        def test_dates_of_the_julian_calendar
          assert_equal "1500-03-10", TimeText.of(Date.new(1500, 2, 29, Date::JULIAN), 1082)
          assert_equal "1500-03-10 00:02:03+00", TimeText.of(DateTime.new(1500, 2, 29, 1, 2, 3, "+1", Date::JULIAN), 1184)
        end

        def test_the_server_reads_the_same_moment
          long_ago = [Time.utc(-43, 3, 15, 1, 2, 3, 4), Time.new(1800, 1, 1, 0, 0, 0, "+00:53:28")]
          [TIME, *long_ago, Time.utc(12_345), Time.at(0, 1, :usec)].each do |time|
            %w[timestamp timestamptz].each do |type|
              written = TimeText.of(time, TYPES.fetch(type.to_sym))
              read = postgres_server.psql("SELECT '#{written}'::#{type}").chomp
              assert_equal time.floor(6), Postgres.decode(TYPES.fetch(type.to_sym), false, 0, read)
            end
          end
        end
      end
    end
  end
end
