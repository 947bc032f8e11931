# frozen_string_literal: true

module Trunkline
  module Postgres
    module Parameters
      # Numbers with a fraction in decimal notation.
      module DecimalText
        # For a Rational that has no finite decimal form, such as 1/3.
        SIGNIFICANT_DIGITS = 50

        # Longer than any value of the server's numeric; the zeros of a plain notation would only use memory.
        LONGEST = 150_000
        private_constant :LONGEST

        class << self
          # @param number [Float, Rational, BigDecimal]
          # @return [String] without ".0" for a whole Rational or BigDecimal, so that integer types accept it too
          def of(number)
            case number
            when Float then number.to_s
            when Rational then rational(number)
            else big_decimal(number)
            end
          end

          private

          def big_decimal(number)
            return number.to_s("E") if number.nan? || number.infinite? || number.exponent.abs > LONGEST

            number.to_s("F").delete_suffix(".0")
          end

          # Exact if the denominator has no prime factors but those of ten.
          def rational(number)
            twos, rest = extract(number.denominator, 2)
            fives, rest = extract(rest, 5)
            return big_decimal(BigDecimal(number, SIGNIFICANT_DIGITS)) unless rest == 1

            scale = [twos, fives].max
            digits = (number.numerator.abs * (10**scale) / number.denominator).to_s.rjust(scale + 1, "0")
            digits.insert(-scale - 1, ".") if scale.positive?
            number.negative? ? "-#{digits}" : digits
          end

          # @return [Array<Integer>] how often the factor divides the number, and the quotient
          def extract(number, factor)
            count = 0
            until (number % factor).positive?
              number /= factor
              count += 1
            end
            [count, number]
          end
        end
      end
    end
  end
end
