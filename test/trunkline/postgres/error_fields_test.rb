# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    class ErrorFieldsTest < TestCase
      def test_every_field
        letters = { "S" => "FEHLER", "V" => "ERROR", "C" => "23505", "M" => "m", "D" => "d", "H" => "h", "P" => "12", "p" => "3",
                    "q" => "q", "W" => "w", "s" => "s", "t" => "t", "c" => "c", "d" => "dt", "n" => "n", "F" => "f.c", "L" => "9",
                    "R" => "r" }

        assert_equal({ severity: "ERROR", sqlstate: "23505", message: "m", detail: "d", hint: "h", position: 12,
                       internal_position: 3, internal_query: "q", where: "w", schema: "s", table: "t", column: "c",
                       datatype: "dt", constraint: "n", file: "f.c", line: 9, routine: "r" }, parse(letters))
      end

      def test_the_untranslated_severity_wins_in_any_order
        assert_equal "ERROR", parse({ "V" => "ERROR", "S" => "FEHLER" })[:severity]
        assert_equal "FEHLER", parse({ "S" => "FEHLER" })[:severity]
      end

      def test_unknown_letters_are_left_out
        assert_equal({ message: "m" }, parse({ "Z" => "?", "M" => "m", "\xFF".b => "x" }))
      end

      def test_bytes_that_are_no_text_are_replaced
        assert_equal "Stra\uFFFDe", parse({ "M" => "Stra\xDFe".b })[:message]
        assert_equal "Straße", parse({ "M" => "Straße" })[:message]
      end

      def test_a_number_that_is_none_stays_text
        assert_equal "x", parse({ "P" => "x" })[:position]
      end

      def test_any_beginning_of_an_error_is_read
        whole = "SERROR\0C42601\0Msyntax error\0\0"

        (0..whole.size).each { |size| assert_operator parse_bytes(whole[0, size]).size, :<=, 3 }
        assert_equal({ severity: "ERROR", sqlstate: "42601", message: "syntax" }, parse_bytes(whole[0, 21]))
        assert_equal({}, parse_bytes("\0\0\0"))
      end

      private

      def parse(letters) = parse_bytes("#{letters.map { |letter, text| letter.b + text.b + "\0" }.join}\0")

      def parse_bytes(bytes) = ErrorFields.parse(bytes)
    end
  end
end
