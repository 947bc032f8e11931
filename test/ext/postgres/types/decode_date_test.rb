# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  class DecodeDateTest < TestCase
    include DecodedValues

    DATE = 1082

    # Text, days since 2000-01-01.
    DATES = { "2000-01-01" => 0, "1999-12-31" => -1, "2024-02-29" => 8825, "1900-03-01" => -36_465, "1582-10-15" => -152_384,
              "1582-10-14" => -152_385, "1500-03-01" => -182_562, "0001-01-01" => -730_119, "0001-12-31 BC" => -730_120,
              "0005-02-29 BC" => -731_887, "4714-11-24 BC" => -2_451_545, "9999-12-31" => 2_921_939, "10000-01-01" => 2_921_940,
              "5874897-12-31" => 2_145_031_948 }.freeze

    def test_both_formats
      DATES.each do |string, days|
        assert_same_value text(DATE, string), binary(DATE, [days].pack("l>")), string
        assert_equal days + 2_451_545, text(DATE, string).jd, string
      end
    end

    def test_the_date_shows_the_servers_digits
      DATES.each_key do |string|
        year, month, day = string.delete_suffix(" BC").split("-").map(&:to_i)
        year = 1 - year if string.end_with?("BC")
        date = text(DATE, string)
        assert_equal [year, month, day], [date.year, date.month, date.day]
      end
    end

    def test_dates_since_the_reform_are_ordinary_ones
      assert_equal Date.new(2024, 2, 29), text(DATE, "2024-02-29")
      assert_equal Date.new(2024, 2, 29).start, text(DATE, "2024-02-29").start
    end

    def test_infinity
      assert_same_value Float::INFINITY, text(DATE, "infinity")
      assert_same_value(-Float::INFINITY, text(DATE, "-infinity"))
      assert_same_value Float::INFINITY, binary(DATE, [2_147_483_647].pack("l>"))
      assert_same_value(-Float::INFINITY, binary(DATE, [-2_147_483_648].pack("l>")))
    end

    def test_every_day_of_four_centuries
      first = Date.new(1600, 1, 1, Date::GREGORIAN)
      (0..146_097).step(7) { |offset| assert_equal first + offset, text(DATE, (first + offset).to_s) }
    end

    def test_malformed
      assert_malformed "date", DATE, 0, "", "2024", "2024-02", "2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01",
                       "2024-01-00", "2024-01-32", "2024-1-01", "24-01-01", "0000-01-01", "2024-01-01 AD", "2024-01-01 BCE",
                       "2024-01-01 ", "12345678-01-01", "Infinity", "02/29/2024", "-2024-01-01", "2024-01-01 00:00:00"
      assert_exact_length "date", DATE, [1].pack("l>")
    end
  end
end
