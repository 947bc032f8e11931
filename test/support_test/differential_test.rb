# frozen_string_literal: true

require "test_helper"
require "support/differential"

# What counts as the same answer.
class DifferentialAnswerTest < Minitest::Test
  UNKNOWN = Differential::Answer::UNKNOWN
  private_constant :UNKNOWN

  def test_values_that_agree
    [[1, 1], [1, 1.0], [Float::NAN, Float::NAN], [BigDecimal("NaN"), BigDecimal("NaN")], [nil, nil], [[1, [nil]], [1, [nil]]], [UNKNOWN, :anything]].each do |one, other|
      assert answer(one).agrees?(answer(other)), [one, other].inspect
    end
  end

  def test_values_that_differ
    [[1, 2], [nil, 1], [1, nil], [Float::NAN, 1.0], [[1], [1, 2]], [[1, nil], [1, UNKNOWN]], ["ä", "ä".b], ["", []]].each do |one, other|
      refute answer(one).agrees?(answer(other)), [one, other].inspect
    end
  end

  def test_executions_return_values_of_the_same_class
    assert answer(1.0).same?(answer(1.0))
    refute answer(1.0).same?(answer(1))
  end

  def test_failures
    failed = Differential::Answer.new(failure: %w[22012 DivisionByZero message])
    assert failed.agrees?(Differential::Answer.new(failure: %w[22012 DivisionByZero message]))
    refute failed.agrees?(Differential::Answer.new(failure: %w[22012 DivisionByZero other]))
    refute failed.agrees?(answer(1))
    refute answer(1).agrees?(failed)
  end

  private

  def answer(value) = Differential::Answer.new(values: [[value]])
end
