# frozen_string_literal: true

require "test_helper"
require "minitest/mock"

module Trunkline
  # Whether a fiber that waits is still run by its event loop, as other threads see it.
  class AttendanceTest < TestCase
    def setup
      super
      @now = 1000.0
      @attendance = at(0) { Attendance.new }
    end

    def test_one_that_is_not_renewed_lapses_after_half_a_minute
      assert_equal [false] * 30, Array.new(30) { lapsed_after?(1) }
      assert lapsed_after?(1)
    end

    def test_one_that_is_renewed_does_not
      29.times { lapsed_after?(1) }
      at(0) { @attendance.renew }
      assert_equal [false] * 30, Array.new(30) { lapsed_after?(1) }
    end

    # Nothing has run meanwhile.
    def test_a_process_that_was_stopped
      lapsed_after?(1)
      refute lapsed_after?(3600)
    end

    private

    def lapsed_after?(seconds) = at(seconds) { @attendance.lapsed? }

    def at(seconds, &)
      @now += seconds
      Waiting.stub(:now, @now, &)
    end
  end
end
