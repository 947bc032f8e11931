# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # Parameters -> bytes: as text while the server's types are unknown, in binary where they are and the value fits.
    class BindTest < TestCase
      include CodecTesting

      # Values, what they are as text, and the types that take them in binary format with the bytes.
      VALUES = [
        [0, "0", { INT2 => "\0\0", INT4 => "\0\0\0\0", INT8 => "\0" * 8, OID => "\0\0\0\0" }],
        [-1, "-1", { INT2 => "\xFF" * 2, INT4 => "\xFF" * 4, INT8 => "\xFF" * 8 }],
        [258, "258", { INT2 => "\1\2", INT4 => "\0\0\1\2", INT8 => "\0\0\0\0\0\0\1\2", OID => "\0\0\1\2" }],
        [32_767, "32767", { INT2 => "\x7F\xFF", INT4 => "\0\0\x7F\xFF", INT8 => "\0\0\0\0\0\0\x7F\xFF", OID => "\0\0\x7F\xFF" }],
        [32_768, "32768", { INT4 => "\0\0\x80\0", INT8 => "\0\0\0\0\0\0\x80\0", OID => "\0\0\x80\0" }],
        [-32_769, "-32769", { INT4 => "\xFF\xFF\x7F\xFF", INT8 => "\xFF\xFF\xFF\xFF\xFF\xFF\x7F\xFF" }],
        [2_147_483_648, "2147483648", { INT8 => "\0\0\0\0\x80\0\0\0", OID => "\x80\0\0\0" }],
        [4_294_967_296, "4294967296", { INT8 => "\0\0\0\1\0\0\0\0" }],
        [-4_611_686_018_427_387_904, "-4611686018427387904", { INT8 => "\xC0\0\0\0\0\0\0\0" }],
        [4_611_686_018_427_387_904, "4611686018427387904", 1.size == 8 ? {} : { INT8 => "\x40\0\0\0\0\0\0\0" }], # no Fixnum of 64 bits
        [-9_223_372_036_854_775_809, "-9223372036854775809", {}],
        [10**30, "1000000000000000000000000000000", {}],
        [1.5, "1.5", { FLOAT8 => "\x3F\xF8\0\0\0\0\0\0" }],
        [0.1, "0.1", { FLOAT8 => [0.1].pack("G") }],
        [-0.0, "-0", { FLOAT8 => [-0.0].pack("G") }],
        [1.0e300, "1e+300", { FLOAT8 => [1.0e300].pack("G") }],
        [5.0e-324, nil, { FLOAT8 => [5.0e-324].pack("G") }],
        [1.0 / 3, "0.3333333333333333", { FLOAT8 => [1.0 / 3].pack("G") }],
        [Float::NAN, "NaN", { FLOAT8 => [Float::NAN].pack("G") }],
        [Float::INFINITY, "Infinity", { FLOAT8 => [Float::INFINITY].pack("G") }],
        [-Float::INFINITY, "-Infinity", { FLOAT8 => [-Float::INFINITY].pack("G") }],
        [true, "true", {}],
        [false, "false", {}],
        ["", "", {}],
        ["Grüße", "Grüße", {}],
        ["ascii".encode("US-ASCII"), "ascii", {}],
        ["\x00\xFF".b, "\\x00ff", { BYTEA => "\x00\xFF" }],
        ["plain".b, "\\x706c61696e", { BYTEA => "plain" }],
        [:symbol, "symbol", {}],
        [:ünïcode, "ünïcode", {}]
      ].freeze

      TYPES = [INT2, INT4, INT8, OID, FLOAT8, BYTEA, TEXT, 1700, 16, 0x7FFFFFFF].freeze
      private_constant :VALUES, :TYPES

      def test_as_text_while_types_are_unknown
        VALUES.each do |value, text,|
          next unless text

          codec.forget_statements
          sent
          assert_equal value, Float(text) if value.is_a?(Float) && text.match?(/\d/)
          submit(Request.converted(statement("SELECT $1"), [value]))
          assert_includes sent, bind("t#{@number = @number.to_i + 1}", [text]), value.inspect
        end
      end

      def test_each_value_for_each_type
        VALUES.product(TYPES).each do |(value, text, binaries), type|
          binary = binaries[type]
          next unless text || binary

          begin_session
          learn("SELECT $1 #{type}", type)
          sent
          submit(Request.converted(statement("SELECT $1 #{type}"), [value]))
          assert_equal execution("t1", [binary || text], formats: [binary ? 1 : 0], binary: true), sent, "#{value.inspect} for #{type}"
        end
      end

      def test_the_shortest_text_of_any_float
        random = Random.new(Minitest.seed)
        2000.times do
          number = [random.rand(2**64)].pack("Q").unpack1("D")
          next if number.nan?

          begin_session
            ask("SELECT $1", number)
          text = sent[/\x00{3}\x01\x00{3}.([^\x00]+)\x00\x01\x00{2}E/mn, 1]
          assert_equal number, number.infinite? ? Float(text[/-?/] + "1e999") : Float(text), text
        end
      end

      def test_nil
        learn("SELECT $1, $2", INT4, TEXT)
        sent
        ask("SELECT $1, $2", nil, nil)
        ask("SELECT $1", nil)
        assert_equal execution("t1", [nil, nil], formats: [0, 0], binary: true) + parse("t2", "SELECT $1") + describe("t2") + execution("t2", [nil]), sent
      end

      def test_formats_are_each_parameters_own
        learn("SELECT $1, $2, $3", INT4, TEXT, BYTEA)
        sent
        submit(Request.converted(statement("SELECT $1, $2, $3"), [1, "x", "\0".b]))
        assert_equal execution("t1", ["\0\0\0\1", "x", "\0"], formats: [1, 0, 1], binary: true), sent
      end

      def test_as_many_as_a_message_can_count
        ask("SELECT many", *Array.new(65_535, 1))
        assert_equal first_execution("t1", "SELECT many", ["1"] * 65_535), sent
      end

      def test_what_needs_no_conversion
        [nil, true, false, 0, -5, 10**30, 1.5, "text", "ü", :symbol, "a".encode("US-ASCII")].each do |value|
          assert_instance_of Request, Request.query(statement("SELECT $1"), [value]), value.inspect
        end
      end

      def test_what_does
        [Object.new, [1], {}, 1..2, Time.now, 1r, 1i, "\xFF", "a\0b", "bytes".b, "\xFF".b, "ü".encode("UTF-16LE"), "ü".encode("ISO-8859-1"),
         :"a\0b"].each do |value|
          assert_nil Request.query(statement("SELECT $1"), [value]), value.inspect
        end
        assert_nil Request.query(statement("SELECT $1"), Array.new(65_536, 1))
      end

      def test_a_wrong_number_of_parameters_is_seen_once_the_types_are_known
        assert Request.query(statement("SELECT $1"), [])
        learn("SELECT $1", INT4)
        assert_nil Request.query(statement("SELECT $1"), [])
        assert_nil Request.query(statement("SELECT $1"), [1, 2])
        assert Request.query(statement("SELECT $1"), [1])
      end

      def test_what_was_passed_cannot_be_changed_any_more
        text = +"before"
        request = Request.query(statement("SELECT $1"), [text])
        text << " and after"
        submit(request)
        assert_includes sent, bind("t1", ["before"])
      end

      private

      def learn(sql, *types)
        submit(Request.describe(statement(sql)))
        answer(parse_complete + parameter_description(*types) + no_data + ready)
      end
    end
  end
end
