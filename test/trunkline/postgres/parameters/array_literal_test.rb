# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    module Parameters
      class ArrayLiteralTest < TestCase
        BOOLS = 1000
        BYTEAS = 1001
        INT4S = 1007
        TEXTS = 1009
        TIMESTAMPS = 1115
        JSONBS = 3807
        INT4RANGES = 3905

        def test_elements_follow_their_type
          { [INT4S, [1, nil, -3]] => "{1,NULL,-3}", [BOOLS, [true, false]] => "{true,false}",
            [1022, [1.5, Float::NAN]] => "{1.5,NaN}", [1231, [BigDecimal("1.50"), Rational(1, 4)]] => "{1.5,0.25}",
            [BYTEAS, ["\xFF\\".b]] => '{"\\\\xff5c"}',
            [TIMESTAMPS, [Time.new(2024, 1, 1, 1, 0, 0, "+01:00")]] => '{"2024-01-01 00:00:00+00"}',
            [JSONBS, [{ "a" => "\"" }, nil]] => '{"{\\"a\\":\\"\\\\\\"\\"}",NULL}',
            [INT4RANGES, [1...2]] => '{"[\\"1\\",\\"2\\")"}' }
            .each { |(oid, values), literal| assert_equal literal, convert(values, oid) }
        end

        def test_quotes
          values = ["", "NULL", "null", nil, "a,b", "{}", "a\"b", "a\\b", " x ", "ü", :symbol]
          assert_equal values.map { |value| value&.to_s }, Postgres.decode(TEXTS, false, 0, convert(values, TEXTS))
        end

        def test_nesting
          assert_equal "{{1,2},{3,NULL}}", convert([[1, 2], [3, nil]], INT4S)
          assert_equal "{{{{{{1}}}}}}", convert([[[[[[1]]]]]], INT4S)
        end

        def test_empty_arrays_have_no_dimensions
          [[], [[]], [[], []], [[[]]]].each { |values| assert_equal "{}", convert(values, INT4S) }
        end

        def test_too_deep
          endless = []
          endless << endless
          [[[[[[[[1]]]]]]], endless].each do |values|
            error = assert_raises(ArgumentError) { convert(values, INT4S) }
            assert_equal "$1 nests deeper than 6 arrays", error.message
          end
        end

        def test_bad_elements_name_the_parameter
          assert_match(/\$1/, assert_raises(EncodingError) { convert(["\xFF"], TEXTS) }.message)
          assert_match(/\$1/, assert_raises(ArgumentError) { convert(["\0"], TEXTS) }.message)
        end

        private

        def convert(values, oid) = Parameters.convert([values], [oid]).first
      end
    end
  end
end
