# frozen_string_literal: true

require "test_helper"
require_relative "../../bench/support/host_choices"

# The choices of hosts that a bench times are made by the library's own code.
class HostChoicesTest < Trunkline::TestCase
  def test_choices_are_made
    [1, 3].each { |among| assert_operator Trunkline::Bench::HostChoices.new(among).seconds(100), :>, 0 }
  end
end
