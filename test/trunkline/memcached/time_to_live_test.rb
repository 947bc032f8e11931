# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Memcached
    class TimeToLiveTest < TestCase
      MONTH = 30 * 24 * 60 * 60 # seconds

      def test_seconds
        { 0 => 0, 60 => 60, 1.9 => 1, -1 => -1, "5" => 5, MONTH => MONTH, 0.5 => 1, Rational(1, 3) => 1, 0.0 => 0 }.each do |given, number|
          assert_equal number, number_of(given)
        end
      end

      def test_more_than_a_month_is_a_time
        before = Time.now.to_i
        number = number_of(MONTH + 1)
        assert_includes before..Time.now.to_i, number - MONTH - 1
      end

      def test_a_time_stays_one
        soon = Time.now.to_i + 5000
        assert_equal soon, number_of(soon)
        assert_equal soon, number_of(Time.at(soon))
      end

      def test_what_is_no_number
        [Object.new, [1], Float::INFINITY, Float::NAN].each { |given| assert_raises(ArgumentError) { number_of(given) } }
      end

      private

      def number_of(given) = Memcached.const_get(:TimeToLive).number(given)
    end
  end
end
