# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  class DecodeBytesTest < TestCase
    include DecodedValues

    BYTEA = 17
    UUID = 2950
    BOOL = 16
    ALL_BYTES = (0..255).to_a.pack("C*").freeze

    def test_bytea
      ["", "\0", ALL_BYTES].each do |string|
        hex = string.unpack1("H*")
        [binary(BYTEA, string), text(BYTEA, "\\x#{hex}"), text(BYTEA, "\\x#{hex.upcase}")].each do |value|
          assert_same_value string.b, value
        end
      end
    end

    def test_bytea_in_escape_notation
      escaped = ALL_BYTES.bytes.map { |byte| byte == 92 ? "\\\\" : format((32..126).cover?(byte) ? "%c" : "\\%03o", byte) }.join
      assert_same_value ALL_BYTES.b, text(BYTEA, escaped)
      assert_same_value "".b, text(BYTEA, "")
    end

    def test_malformed_bytea
      assert_malformed "bytea", BYTEA, 0, "\\x0", "\\xzz", "\\x0g", "\\x 0", "\\", "a\\", "\\0", "\\01", "\\018", "\\400", "\\y"
    end

    def test_uuid
      string = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
      assert_same_value string, text(UUID, string)
      assert_same_value string, binary(UUID, [string.delete("-")].pack("H*"))
      assert_exact_length "uuid", UUID, "x" * 16
    end

    def test_bool
      assert_equal [true, false, true, false], [text(BOOL, "t"), text(BOOL, "f"), binary(BOOL, "\1"), binary(BOOL, "\0")]
      assert_malformed "bool", BOOL, 0, "", "true", "T", "1", "x"
      assert_malformed "bool", BOOL, 1, "", "\2", "t", "\0\0"
    end
  end
end
