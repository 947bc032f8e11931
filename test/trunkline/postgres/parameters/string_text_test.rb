# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    module Parameters
      class StringTextTest < TestCase
        def test_encodings
          ["ü", "ü".encode("ISO-8859-1"), "ü".encode("UTF-16LE"), "ü".b].each do |string|
            text = convert(string)
            assert_equal ["ü", Encoding::UTF_8, true], [text, text.encoding, text.frozen?]
          end
          assert_equal "ascii", convert("ascii".encode("US-ASCII"))
        end

        def test_a_frozen_string_is_not_copied
          assert_same "frozen", convert("frozen")
        end

        def test_what_is_no_text
          { "\xFF" => /\A\$1 is not valid UTF-8/, "\xFF".dup.force_encoding("US-ASCII") => /\A\$1 is not valid US-ASCII/,
            "\x81".dup.force_encoding("Shift_JIS") => /\A\$1 cannot be converted to UTF-8/,
            "a".dup.force_encoding("UTF-7") => /\A\$1 cannot/ }
            .each { |string, message| assert_match message, assert_raises(EncodingError) { convert(string) }.message }
        end

        def test_nul
          ["\0", "a\0b", "a\0".encode("UTF-16LE"), "a\0".b, :"a\0"].each do |string|
            assert_equal "$1 holds a NUL character, which text cannot", assert_raises(ArgumentError) { convert(string) }.message
          end
        end

        private

        def convert(string) = Parameters.convert([string]).first
      end
    end
  end
end
