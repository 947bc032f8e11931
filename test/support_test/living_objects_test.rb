# frozen_string_literal: true

require "test_helper"
require "support/living_objects"

# How the tests find the objects of a class.
class LivingObjectsTest < Trunkline::TestCase
  Kind = Class.new
  private_constant :Kind

  def test_those_that_are_held_are_found
    held = Array.new(3) { Kind.new }
    assert_empty held - LivingObjects.of(Kind)
  end

  def test_the_collector_is_left_as_it_was
    LivingObjects.of(Kind)
    assert_equal false, GC.disable
    LivingObjects.of(Kind)
    assert_equal true, GC.enable
  ensure
    GC.enable
  end
end
