# frozen_string_literal: true

require "test_helper"

class ArgumentTest < Trunkline::TestCase
  ARGUMENT = Trunkline.const_get(:Argument)
  # Counts as a number, as ActiveSupport::Duration does.
  LIKE_A_NUMBER = Class.new { def is_a?(kind) = kind == Numeric || super }
  RAISING = Class.new { def inspect = raise("no") }
  private_constant :ARGUMENT, :LIKE_A_NUMBER, :RAISING

  def test_kinds
    assert ARGUMENT.is?(1, String, Integer)
    assert ARGUMENT.is?(LIKE_A_NUMBER.new, Numeric)
    refute ARGUMENT.is?(BasicObject.new, Object, Integer)
  end

  def test_methods
    assert ARGUMENT.responds?([], :each)
    refute ARGUMENT.responds?([], :keys)
    refute ARGUMENT.responds?(BasicObject.new, :each)
  end

  def test_what_a_message_shows
    assert_equal ["nil", ":a", "\"#{"x" * 49}..."], [nil, :a, "x" * 1000].map { |given| ARGUMENT.shown(given) }
    assert_equal ["a BasicObject", "a Array", "a Hash"], [BasicObject.new, [BasicObject.new], { a: BasicObject.new }].map { |given| ARGUMENT.shown(given) }
    assert_match(/\Aa ArgumentTest::RAISING\z/, ARGUMENT.shown(RAISING.new))
  end

  def test_text
    assert_equal %w[1 a], [1, :a].map { |given| ARGUMENT.text(given, "a key") }
    [BasicObject.new, [BasicObject.new]].each do |given|
      error = assert_raises(TypeError) { ARGUMENT.text(given, "a key") }
      assert_match(/\Acannot send a (BasicObject|Array) as a key: convert it to a String/, error.message)
    end
  end
end
