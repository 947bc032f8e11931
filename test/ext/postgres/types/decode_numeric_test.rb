# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  class DecodeNumericTest < TestCase
    include DecodedValues

    NUMERIC = 1700
    SPECIAL = { "NaN" => 0xC000, "Infinity" => 0xD000, "-Infinity" => 0xF000 }.freeze

    def test_plain_numbers
      ["0", "1", "-1", "12.50", "-0.0001", "0.00000000000000000001", "9" * 18, "9" * 19, "-#{"9" * 300}", "1234567890.0987654321",
       "10000", "100000000", "99999999.9999"].each do |string|
        assert_same_value BigDecimal(string), text(NUMERIC, string)
        assert_same_value BigDecimal(string), binary(NUMERIC, wire(BigDecimal(string)))
      end
    end

    def test_equal_whatever_the_scale
      assert_equal text(NUMERIC, "1.5").hash, text(NUMERIC, "1.5000").hash
      assert_same_value text(NUMERIC, "0"), binary(NUMERIC, [0, 0, 0, 20].pack("n4"))
    end

    def test_as_large_as_they_come
      digits = "#{"7" * 131_072}.#{"3" * 16_383}"
      assert_same_value BigDecimal(digits), text(NUMERIC, digits)
      assert_same_value BigDecimal(digits), binary(NUMERIC, wire(BigDecimal(digits)))
      assert_same_value BigDecimal("1e131068"), binary(NUMERIC, [1, 32_767, 0, 0, 1].pack("n5"))
      assert_same_value BigDecimal("1e-131072"), binary(NUMERIC, [1, -32_768, 0, 0, 1].pack("ns>n3"))
    end

    def test_values_that_are_no_numbers
      SPECIAL.each do |word, sign|
        assert_same_value BigDecimal(word), text(NUMERIC, word)
        assert_same_value BigDecimal(word), binary(NUMERIC, [0, 0, sign, 0].pack("n4"))
      end
    end

    def test_malformed_text
      assert_malformed "numeric", NUMERIC, 0, "", "-", ".", "1.", ".5", "+1", "1e5", "1_0", " 1", "1 ", "1.2.3", "nan", "-NaN", "0x1",
                       "1\0", "Infinity1"
    end

    def test_malformed_binary
      assert_exact_length "numeric", NUMERIC, wire(BigDecimal("12345.678"))
      assert_malformed "numeric", NUMERIC, 1, [1, 0, 0x1234, 0, 1].pack("n5"), [1, 0, 0, 0, 10_000].pack("n5"),
                       [65_535, 0, 0, 0, 1].pack("n5"), [1, 0, 0xC000, 0].pack("n4")
    end

    private

    # Groups of four digits around the point, as the server sends them.
    def wire(number)
      whole, fraction = number.abs.to_s("F").split(".")
      whole = whole.rjust((whole.size + 3) / 4 * 4, "0")
      groups = "#{whole}#{fraction.ljust((fraction.size + 3) / 4 * 4, "0")}".scan(/\d{4}/).map(&:to_i)
      [groups.size, (whole.size / 4) - 1, number.negative? ? 0x4000 : 0, fraction.size, *groups].pack("n*")
    end
  end
end
