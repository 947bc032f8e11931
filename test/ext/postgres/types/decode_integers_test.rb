# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  class DecodeIntegersTest < TestCase
    include DecodedValues

    # OID, directive of pack, least and greatest value, the server's name.
    TYPES = [
      [21, "s>", -32_768, 32_767, "smallint"],
      [23, "l>", -2_147_483_648, 2_147_483_647, "integer"],
      [20, "q>", -9_223_372_036_854_775_808, 9_223_372_036_854_775_807, "bigint"],
      [26, "N", 0, 4_294_967_295, "oid"]
    ].freeze

    def test_both_formats
      TYPES.each do |oid, directive, least, greatest, _|
        [least, least + 1, 0, 1, 42, greatest - 1, greatest].each do |number|
          assert_equal number, text(oid, number.to_s)
          assert_equal number, binary(oid, [number].pack(directive))
        end
      end
    end

    def test_what_is_no_number
      TYPES.each do |oid, _, least, greatest, name|
        assert_malformed name, oid, 0, "", "-", "+1", " 1", "1 ", "1.0", "0x1", "1_0", "1\0", "--1", "٣"
        assert_malformed name, oid, 0, (greatest + 1).to_s, (least - 1).to_s, "9" * 19, "9" * 40, "-#{"9" * 40}"
      end
    end

    def test_wrong_lengths
      TYPES.each { |oid, directive, _, _, name| assert_exact_length name, oid, [1].pack(directive) }
    end
  end
end
