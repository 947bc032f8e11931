# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/schedulers/timers"

class TimersTest < Minitest::Test
  def setup
    @timers = Timers.new
    @fired = []
  end

  def test_fires_in_the_order_of_time_and_then_of_coming
    [-1, -3, -1, -2].each_with_index { |seconds, index| @timers.after(seconds) { @fired << index } }
    @timers.fire
    assert_equal [1, 3, 0, 2], @fired
    assert_empty @timers
  end

  def test_leaves_what_is_not_due
    Timers.stub(:now, Timers.now) do
      @timers.after(60) { @fired << :late }
      @timers.fire
      assert_empty @fired
      assert_in_delta 60, @timers.interval, 0.001
    end
  end

  def test_interval_is_never_negative_and_nil_without_timers
    assert_nil @timers.interval
    @timers.after(-5) { @fired << :due }
    assert_equal 0, @timers.interval
  end

  def test_removes_only_the_given_one
    first, second = Array.new(2) { |index| @timers.after(-1) { @fired << index } }
    @timers.remove(first)
    @timers.remove(first)
    @timers.fire
    @timers.remove(second)
    assert_equal [1], @fired
  end

  def test_an_action_may_add_a_timer
    @timers.after(-1) { @timers.after(-2) { @fired << :second } }
    @timers.fire
    @timers.fire
    assert_equal [:second], @fired
  end
end
