# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    module Parameters
      class DecimalTextTest < TestCase
        def test_rationals_with_an_end_are_exact
          { Rational(3, 8) => "0.375", Rational(-1, 8) => "-0.125", Rational(5) => "5", Rational(1, 10**30) => "0.#{"0" * 29}1",
            Rational(12_345, 100) => "123.45", Rational(10**40, 1) => "1#{"0" * 40}", Rational(0) => "0",
            Rational(1, 2**70) => exact(2**70) }
            .each { |number, text| assert_equal text, DecimalText.of(number) }
        end

        def test_others_have_fifty_digits
          assert_equal "0.#{"3" * 50}", DecimalText.of(Rational(1, 3))
          assert_equal "-66.#{"6" * 47}7", DecimalText.of(Rational(-200, 3))
        end

        def test_big_decimals
          { "1.50" => "1.5", "1e30" => "1#{"0" * 30}", "-0.00001" => "-0.00001", "7" => "7", "10" => "10", "NaN" => "NaN",
            "Infinity" => "Infinity", "-Infinity" => "-Infinity", "1e999999999" => "0.1e1000000000" }
            .each { |source, text| assert_equal text, DecimalText.of(BigDecimal(source)) }
        end

        def test_floats
          [1.5, 1e300, Float::NAN, -Float::INFINITY].each { |number| assert_equal number.to_s, DecimalText.of(number) }
        end

        private

        def exact(denominator) = BigDecimal(Rational(1, denominator), 200).to_s("F")
      end
    end
  end
end
