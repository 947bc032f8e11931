# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  class DecodeFloatsTest < TestCase
    include DecodedValues

    REAL = 700
    DOUBLE = 701

    def test_doubles
      [0.0, -0.0, 0.1, 1e22, 1e23, 5e-324, 2.2250738585072014e-308, Float::MAX, -1.5, 1e-7, 123_456_789.123].each do |number|
        assert_same_value number, binary(DOUBLE, [number].pack("G"))
        assert_same_value number, text(DOUBLE, number.to_s)
      end
    end

    def test_values_that_are_no_numbers
      [REAL, DOUBLE].zip(%w[g G]) do |oid, directive|
        [Float::INFINITY, -Float::INFINITY, Float::NAN].each do |value|
          assert_same_value value, text(oid, value.to_s)
          assert_same_value value, binary(oid, [value].pack(directive))
        end
      end
    end

    def test_text_is_rounded_exactly
      # Half way between two doubles, and just beside it: decided by the last of many digits.
      assert_same_value 9_007_199_254_740_992.0, text(DOUBLE, "9007199254740993")
      assert_same_value 9_007_199_254_740_994.0, text(DOUBLE, "9007199254740993.#{"0" * 1000}1")
      assert_same_value 9_007_199_254_740_992.0, text(DOUBLE, "9007199254740993.#{"0" * 1000}")
      assert_same_value 1.0, text(DOUBLE, "1#{"0" * 1000}e-1000")
      assert_same_value 1e-5, text(DOUBLE, "0.#{"0" * 1000}1e996")
      assert_same_value Float::INFINITY, text(DOUBLE, "1e999999999999999999999")
      assert_same_value 0.0, text(DOUBLE, "1e-999999999999999999999")
    end

    def test_random_doubles
      random = Random.new(7)
      5_000.times do
        number = random.bytes(8).unpack1("G")
        next if number.nan?

        assert_same_value number, text(DOUBLE, number.to_s)
        assert_same_value Float(format("%.17g", number)), text(DOUBLE, format("%.17g", number)) if number.finite?
      end
    end

    # The expected texts are a server's.
    def test_reals_are_their_shortest_decimals
      { "3f8ccccd" => "1.1", "3dcccccd" => "0.1", "00000001" => "1e-45", "00000002" => "3e-45", "7f7fffff" => "3.4028235e+38",
        "4b800000" => "1.6777216e+07", "0f800000" => "1.2621775e-29", "6b000000" => "1.5474251e+26",
        "4cf45a08" => "1.28110656e+08", "51ed1de8" => "1.27301124e+11", "80000000" => "-0", "bf8ccccd" => "-1.1",
        "00800000" => "1.1754944e-38", "4b000001" => "8.388609e+06", "4affffff" => "8.3886075e+06" }.each do |bits, decimal|
        assert_same_value Float(decimal), binary(REAL, [bits].pack("H*"))
        assert_same_value Float(decimal), text(REAL, decimal)
      end
    end

    def test_what_is_no_number
      malformed = ["", "-", ".", "1e", "1e+", "1x", "1.5.2", "e5", "nan", "inf", "-NaN", "Infinit", "0x10", " 1", "1 ", "1,5", "1\0"]
      [REAL, DOUBLE].each { |oid| assert_malformed "floating point", oid, 0, *malformed }
    end

    def test_wrong_lengths
      assert_exact_length "real", REAL, [1.0].pack("g")
      assert_exact_length "double precision", DOUBLE, [1.0].pack("G")
    end
  end
end
