# frozen_string_literal: true

require "test_helper"

module Trunkline
  # Durations by how often they came.
  class HistogramTest < TestCase
    def test_empty
      assert_equal [0, 0.0, 0.0], [histogram.count, histogram.mean, histogram.quantile(0.99)]
    end

    def test_count_and_mean_are_exact
      filled = histogram(0.001, 0.003, 0.005)
      assert_equal 3, filled.count
      assert_in_delta 0.003, filled.mean, 1e-12
    end

    def test_a_quantile_is_true_to_an_eighth
      exponents = (0..200).map { |step| 10**((step / 27.0) - 5.3) } # 5 us to 2 minutes
      exponents.select { |seconds| seconds < 60 }.each do |seconds|
        assert_in_delta seconds, histogram(seconds).quantile(0.5), seconds / 8 + 1e-6
      end
    end

    def test_quantiles_of_many
      filled = histogram(*(1..1000).map { |number| number / 1000.0 })
      assert_in_delta 0.5, filled.quantile(0.5), 0.5 / 8
      assert_in_delta 0.99, filled.quantile(0.99), 0.99 / 8
      assert_in_delta 1.0, filled.quantile(1), 1.0 / 8
      assert_in_delta 0.001, filled.quantile(0), 0.001 / 8
    end

    def test_what_cannot_be_counts_as_nothing_or_as_very_long
      assert_in_delta 0, histogram(-1, -Float::INFINITY, Float::NAN, 0.0).quantile(1), 1e-6
      assert_operator histogram(1e9).quantile(1), :>, 60
      assert_operator histogram(Float::INFINITY).quantile(1), :>, 60
    end

    def test_old_durations_count_less_and_less
      filled = histogram
      200_000.times { filled << 1.0 }
      200_000.times { filled << 0.001 }
      assert_equal 400_000, filled.count
      assert_in_delta 0.001, filled.quantile(0.6), 0.001 / 8
      1_000_000.times { filled << 0.001 }
      assert_in_delta 0.001, filled.quantile(0.99), 0.001 / 8
    end

    private

    def histogram(*durations) = durations.each_with_object(Trunkline.const_get(:Histogram).new) { |seconds, histogram| histogram << seconds }
  end
end
