# frozen_string_literal: true

require "test_helper"

module Trunkline
  # The pauses between attempts to connect.
  class BackOffTest < TestCase
    # How long the pause is after so many failures in a row, many times.
    #
    # @param took [Numeric] seconds that each attempt has taken
    def pauses(failures, took: 0, **reason)
      now = 0.0
      Waiting.stub(:now, -> { now }) do
        Array.new(200) do
          back_off = BackOff.new
          failures.times do
            back_off.begin_attempt
            now += took
            back_off.failed(**reason)
          end
          (back_off.pause_end || now) - now
        end
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

    def test_a_server_that_takes_its_time_is_left_alone_for_longer
      assert_operator pauses(1, took: 2).max, :<=, 2
      assert_operator pauses(2, took: 2).max, :>, 2
      assert_operator pauses(50, took: 2).max, :<=, 15
      assert_operator pauses(50, took: 2).max, :>, 2
    end

    def test_a_server_that_is_full_is_left_alone_for_longer
      assert_operator pauses(1, full: true).max, :>, 0.1
      assert_operator pauses(1, full: true).max, :<=, 1
      assert_operator pauses(50, full: true).max, :>, 2
      assert_operator pauses(50, full: true).max, :<=, 15
    end

    def test_none_after_a_success
      back_off = BackOff.new.tap(&:failed)
      assert_predicate back_off, :failing?
      back_off.succeeded
      assert_equal [false, nil], [back_off.failing?, back_off.pause_end]
    end
  end
end
