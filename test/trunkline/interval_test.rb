# frozen_string_literal: true

require "test_helper"

module Trunkline
  class IntervalTest < TestCase
    TEXTS = {
      [0, 0, 0] => "PT0S", [14, -3, 14_706_789_000] => "P1Y2M-3DT4H5M6.789S", [-1, 1, -1_500_000] => "P-1M1DT-1.5S",
      [0, 0, 1] => "PT0.000001S", [0, 0, -60_000_000] => "PT-1M", [12, 0, 0] => "P1Y", [0, 7, 0] => "P7D",
      [-(2**31), (2**31) - 1, (2**63) - 1] => "P-178956970Y-8M2147483647DT2562047788H54.775807S",
      [0, 0, -(2**63)] => "PT-2562047788H-54.775808S"
    }.freeze

    def test_text
      TEXTS.each { |(months, days, microseconds), text| assert_equal text, interval(months, days, microseconds).to_s }
      assert_equal "#<Trunkline::Interval P7D>", Interval.new(days: 7).inspect
    end

    def test_the_server_reads_the_text
      TEXTS.each do |(months, days, microseconds), text|
        read = postgres_server.psql("SELECT interval '#{text}'").chomp
        assert_equal interval(months, days, microseconds), Postgres.decode(1186, false, 0, read)
      end
    end

    def test_a_month_is_not_a_count_of_days
      refute_equal Interval.new(months: 1), Interval.new(days: 30)
      refute_equal Interval.new(days: 1), Interval.new(microseconds: 86_400_000_000)
      refute_equal Interval.new, 0
    end

    def test_equality
      assert_equal interval(1, 2, 3), interval(1, 2, 3)
      assert_equal 1, [interval(1, 2, 3), interval(1, 2, 3)].uniq.size
      refute interval(1, 2, 3).eql?(interval(1, 2, 4))
    end

    def test_it_never_changes
      assert_predicate Interval.new, :frozen?
    end

    def test_only_integers
      [{ months: 1.5 }, { days: "1" }, { microseconds: nil }].each { |parts| assert_raises(TypeError) { Interval.new(**parts) } }
      assert_raises(ArgumentError) { Interval.new(hours: 1) }
    end

    private

    def interval(months, days, microseconds)
      Interval.new(months: months, days: days, microseconds: microseconds)
    end
  end
end
