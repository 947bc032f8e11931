# frozen_string_literal: true

require "test_helper"

module Trunkline
  # The pauses between attempts to connect.
  class BackOffTest < TestCase
    # How long the pause is after so many failures in a row, many times.
    def pauses(failures)
      Array.new(200) do
        back_off = BackOff.new
        failures.times { back_off.failed }
        (back_off.pause_end || Waiting.now) - Waiting.now
      end
    end

    def test_none_before_a_failure
      back_off = BackOff.new
      assert_equal [false, false, nil], [back_off.failing?, back_off.paused?, back_off.pause_end]
    end

    def test_of_random_length_that_grows
      assert_operator pauses(1).max, :<=, 0.1
      assert_operator pauses(3).max, :>, 0.1
      assert_operator pauses(50).max, :<=, 2
      assert_operator pauses(50).uniq.size, :>, 100
    end

    def test_none_after_a_success
      back_off = BackOff.new.tap(&:failed)
      assert_predicate back_off, :failing?
      back_off.succeeded
      assert_equal [false, nil], [back_off.failing?, back_off.pause_end]
    end
  end
end
