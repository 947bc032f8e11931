# frozen_string_literal: true

require "test_helper"
require_relative "../rakelib/reference"

# Whatever users can call has a comment, which YARD understands.
class ReferenceTest < Trunkline::TestCase
  REFERENCE = Reference.new
  private_constant :REFERENCE

  def test_nothing_is_said_against_the_comments = assert_equal([], REFERENCE.warnings)
  def test_everything_has_one = assert_equal([], REFERENCE.undocumented)
end
