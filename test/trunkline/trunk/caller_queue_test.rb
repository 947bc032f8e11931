# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/fake_trunk"

module Trunkline
  # Callers that wait for a trunk are called in order, together with those that can proceed with them.
  class CallerQueueTest < TestCase
    include Requests

    def setup
      super
      @queue = CallerQueue.new
    end

    def entry(waiter = request, to_pin: false) = CallerQueue::Entry.new(waiter, to_pin: to_pin)

    def join(*entries) = entries.each { |one| @queue.join(one, 60) }

    def test_in_order
      one, two = join(entry(to_pin: true), entry(to_pin: true))
      assert_same one, @queue.first
      assert_equal [one], @queue.call_first(9)
      assert_equal [two], @queue.call_first(9)
      assert_predicate @queue, :empty?
    end

    def test_a_caller_that_joins_is_parked_and_one_that_is_called_woken
      one, = join(entry)
      assert_predicate one.request, :parked?
      @queue.call_first(9)
      refute_predicate one.request, :parked?
      assert_predicate one, :called?
    end

    def test_callers_that_share_go_together_if_they_have_one_scheduler
      mine, foreign, fellow = join(entry, entry(foreign_request), entry)
      assert_equal [mine, fellow], @queue.call_first(9)
      assert_equal [foreign], @queue.call_first(9)
    end

    def test_no_more_than_there_is_room_for
      first, foreign, second, third = join(entry, entry(foreign_request), entry, entry)
      assert_equal [first, second], @queue.call_first(2)
      assert_equal [[foreign], [third]], [@queue.call_first(2), @queue.call_first(2)]
    end

    # One that was called, and finds that another was faster, stands where it stood; of several, too.
    def test_one_that_was_outrun_keeps_its_place
      one, two, three = join(entry(to_pin: true), entry(to_pin: true), entry(to_pin: true))
      2.times { @queue.call_first(1) }
      join(one, two)
      assert_equal [one, two, three], Array.new(3) { @queue.call_first(1).first }
      join(two, one)
      assert_equal [one, two], Array.new(2) { @queue.call_first(1).first }
    end

    def test_how_long_is_long_enough
      patient, impatient = entry, entry
      @queue.join(patient, 60)
      @queue.join(impatient, 0)
      assert_equal [false, true], [patient, impatient].map(&:deadline_passed?)
      refute_predicate entry, :deadline_passed?
    end

    # Woken by the clock, the caller parks again at its place, unless it has been called meanwhile.
    def test_a_caller_that_stays
      staying, called = join(entry, entry)
      @queue.join(overdue = entry, 0)
      [staying, called, overdue].each { |one| one.request.cancel_park }
      @queue.leave(called)
      assert_equal [true, false, false], [staying, called, overdue].map(&:stay)
      assert_equal [true, false, false], [staying, called, overdue].map { |one| one.request.parked? }
    end

    def test_a_caller_that_wants_one_of_its_own_goes_alone
      alone, = join(entry(to_pin: true), entry(to_pin: true))
      assert_equal [alone], @queue.call_first(9)
    end

    def test_a_caller_that_was_called_and_outrun_goes_in_front
      one, two = join(entry(to_pin: true), entry(to_pin: true))
      @queue.call_first(9)
      one.request.resume
      join(one)
      assert_equal [[one], [two]], [@queue.call_first(9), @queue.call_first(9)]
    end

    def test_a_caller_that_has_left_is_not_called
      one, two = join(entry, entry)
      assert_same one, @queue.leave(one)
      assert_nil @queue.leave(one)
      assert_equal [two], @queue.call_first(9)
    end

    # It goes on after all: it looks again, and stands where it stood.
    def test_a_caller_that_was_forgotten
      gone, *others = join(*Array.new(3) { entry })
      assert_equal [gone], @queue.take_out { |one| one.equal?(gone) }.map(&:forget)
      assert_equal [false, false, 2], [gone.queued?, gone.stay, @queue.size]
      assert_nil @queue.leave(gone)
      join(gone)
      assert_equal [gone, *others], @queue.call_first(9)
    end

    def test_a_trunk_that_is_kept_for_a_caller_that_is_forgotten
      one, = join(entry)
      trunk = FakeTrunk.new
      @queue.call_for(trunk, 1)
      assert_equal [trunk, 1], [one.trunk, trunk.active]
      one.forget
      assert_equal [nil, 0], [one.trunk, trunk.active]
    end

    def test_a_caller_that_is_awake_already_is_owed_nothing
      one, two = join(entry, entry)
      one.request.cancel_park
      assert_equal [two], @queue.call_first(9)
      assert_predicate one, :called?
    end

    def test_all_learn_that_waiting_is_pointless
      failure = ConnectionError.new("no server")
      entries = join(entry, entry(to_pin: true), entry(foreign_request))
      assert_equal entries, @queue.call_failed(failure, Waiting.now, 0)
      assert_equal [failure] * 3, entries.map(&:failure)
      assert_predicate @queue, :empty?
    end

    def test_those_that_outlast_a_failure_stay
      one, two = join(entry, entry(to_pin: true))
      assert_empty @queue.call_failed(ConnectionError.new("no server"), Waiting.now, 60)
      assert_equal [[nil, false]] * 2, [one, two].map { |waiting| [waiting.failure, waiting.called?] }
      hopeless = ConnectionError.new("another cluster", retriable: false)
      assert_equal [one, two], @queue.call_failed(hopeless, Waiting.now, 60)
      assert_equal [hopeless] * 2, [one, two].map(&:failure)
    end

    # Another attempt may succeed, unless the failure is one that each would have.
    def test_those_that_came_after_an_attempt_began_stay
      before, after = entry, entry
      join(before)
      begun = Waiting.now
      Waiting.stub(:now, begun + 1) { join(after) }
      failure = ConnectionError.new("no server")
      assert_equal [before], @queue.call_failed(failure, begun, 0)
      assert_equal [failure, nil, failure], [before.failure, after.failure, after.last_failure]
      hopeless = ConnectionError.new("another cluster", retriable: false)
      assert_equal [after], @queue.call_failed(hopeless, begun, 0)
      assert_same hopeless, after.failure
    end

    def test_a_fiber_that_blocks_its_event_loop
      assert_equal false, entry.blocks_its_scheduler?
      assert_equal [false, true], Thread.new { Sync { [entry.blocks_its_scheduler?, Fiber.new(blocking: true) { entry.blocks_its_scheduler? }.resume] } }.value
    end
  end
end
