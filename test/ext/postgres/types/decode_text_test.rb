# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  class DecodeTextTest < TestCase
    include DecodedValues

    TEXT_FAMILY = { text: 25, varchar: 1043, bpchar: 1042, name: 19, unknown: 705, void: 2278, json: 114 }.freeze
    CHAR = 18
    JSONB = 3802
    XML = 142

    def test_strings_are_utf8
      TEXT_FAMILY.each_value do |oid|
        ["", "a", "naïve ☃  ", "with \0 inside"].each do |string|
          assert_same_value string, text(oid, string)
          assert_same_value string, binary(oid, string)
        end
      end
    end

    def test_strings_are_not_frozen_and_not_shared
      bytes = +"abc"
      value = text(25, bytes)
      value << "d"
      assert_equal %w[abc abcd], [bytes, value]
    end

    def test_other_types_are_the_servers_text
      assert_same_value "(1,2)", text(600, "(1,2)")
      assert_same_value "x", text(4_294_967_295, "x")
      assert_malformed "text of another type", 600, 1, "x"
    end

    def test_xml_comes_as_text_only
      assert_same_value "<a/>", text(XML, "<a/>")
      assert_malformed "xml", XML, 1, "<a/>"
    end

    def test_one_byte_characters
      assert_same_value "a", text(CHAR, "a")
      assert_same_value "a", binary(CHAR, "a")
      assert_same_value "", text(CHAR, "")
      assert_same_value "", binary(CHAR, "\0")
      assert_same_value "\\", text(CHAR, "\\")
      assert_same_value binary(CHAR, "\xFF"), text(CHAR, "\\377")
      assert_malformed '"char"', CHAR, 0, "ab", "\\37", "\\378", "x377", "\\3777"
      assert_exact_length '"char"', CHAR, "a"
    end

    def test_jsonb_has_a_version
      assert_same_value "{}", text(JSONB, "{}")
      assert_same_value "{}", binary(JSONB, "\1{}")
      assert_malformed "jsonb", JSONB, 1, "", "\2{}", "{}"
    end
  end
end
