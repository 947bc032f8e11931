# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/requests"

module Trunkline
  # Which event loops keep others waiting, as fibers of theirs were called and have not come.
  class UnansweredCallsTest < TestCase
    include Requests

    Entry = Struct.new(:scheduler)

    def setup
      super
      @calls = UnansweredCalls.new
      @loop, @other = Array.new(2) { Object.new }
      @now = 100.0
    end

    def test_an_event_loop_is_overdue_a_second_after_the_first_call
      at(0) { @calls.add(Entry.new(@loop)) }
      at(0.5) { @calls.add(Entry.new(@other)) && @calls.add(Entry.new(@loop)) }
      at(0.9) { assert_equal [[], false, 101.0], [@calls.overdue, @calls.any_overdue?, @calls.due] }
      at(1.2) { assert_equal [[@loop], true], [@calls.overdue, @calls.any_overdue?] }
      at(1.6) { assert_equal [@loop, @other], @calls.overdue }
    end

    def test_a_fiber_that_comes_shows_that_its_event_loop_continues
      one, two = Array.new(2) { Entry.new(@loop) }
      at(0) { [one, two].each { |entry| @calls.add(entry) } }
      at(0.9) { @calls.answered(one) }
      at(1.5) { assert_equal [[], 101.9], [@calls.overdue, @calls.due] }
      at(2) { assert_equal [@loop], @calls.overdue }
      at(2) { @calls.answered(two) }
      at(9) { assert_equal [[], nil], [@calls.overdue, @calls.due] }
    end

    def test_one_that_was_not_called_shows_it_too
      at(0) { @calls.add(Entry.new(@loop)) }
      at(0.9) { [@loop, @other].each { |scheduler| @calls.answered(Entry.new(scheduler)) } }
      at(1.5) { assert_empty @calls.overdue }
    end

    def test_those_that_are_taken_out_are_expected_no_more
      one, two = Array.new(2) { Entry.new(@loop) }
      at(0) { [one, two].each { |entry| @calls.add(entry) } }
      assert_equal [one], @calls.take_out { |entry| entry.equal?(one) }
      at(1) { assert_equal [@loop], @calls.overdue }
      assert_equal [two], @calls.take_out { true }
      at(1) { assert_empty @calls.overdue }
    end

    def test_plain_threads_are_not_waited_for
      at(0) { @calls.add(Entry.new(nil)) }
      at(9) { assert_equal [[], nil, []], [@calls.overdue, @calls.due, @calls.take_out { true }] }
    end

    # It goes on: its fibers come when this one waits.
    def test_the_calling_fibers_own_event_loop_is_never_overdue
      Thread.new do
        Sync do
          at(0) { @calls.add(Entry.new(Fiber.scheduler)) }
          at(9) { assert_equal [[], false, nil], [@calls.overdue, @calls.any_overdue?, @calls.due] }
        end
      end.join
      at(9) { assert_predicate @calls, :any_overdue? }
    end

    private

    def at(later, &block) = Waiting.stub(:now, @now + later, &block)
  end
end
