# frozen_string_literal: true

require "test_helper"
require "support/requests"

module Trunkline
  # A waiter is running, parked or woken, and is owed as many wake-ups as it was woken times: one.
  class RequestTest < TestCase
    include Requests

    def test_it_belongs_to_the_caller_that_made_it
      assert_equal [nil, Fiber.current], [request.scheduler, request.fiber]
      assert_kind_of Async::Scheduler, foreign_request.scheduler
    end

    def test_parked_and_woken_and_running
      waiter = request
      refute_predicate waiter, :parked?
      refute waiter.mark_woken
      assert_predicate waiter.park, :parked?
      assert_equal :parked, waiter.resume
      assert waiter.mark_woken
      refute_predicate waiter, :parked?
      assert_equal :running, waiter.resume
      refute waiter.mark_woken
    end

    def test_one_wake_up_for_each_time_it_was_parked
      waiter = request.park
      assert_equal [true, false, false], Array.new(3) { waiter.mark_woken }
      waiter.resume
      waiter.park
      assert_equal [true, false], Array.new(2) { waiter.mark_woken }
    end

    def test_a_caller_that_withdraws_when_woken_has_a_wake_up_coming
      waiter = request
      refute waiter.cancel_park
      waiter.park
      refute waiter.cancel_park
      waiter.park
      waiter.mark_woken
      assert waiter.cancel_park
      refute waiter.cancel_park
    end

    def test_a_caller_that_has_withdrawn_is_not_woken
      waiter = request.park
      waiter.cancel_park
      refute waiter.mark_woken
      refute_predicate waiter, :parked?
    end

    def test_one_that_is_resumed_for_nothing_sleeps_until_it_is_given_its_wake_up
      waiter = request
      refute_predicate waiter, :sleeps_on?
      assert_predicate waiter.park, :sleeps_on?
      waiter.mark_woken
      assert_predicate waiter, :sleeps_on?
      waiter.wake
      assert_equal [false, true], [waiter.sleeps_on?, waiter.delivered?]
    end

    def test_a_thread_is_woken_by_its_token_if_it_sleeps_already
      waiter = request
      assert_same waiter, waiter.wake
      waiter.token = Thread::Queue.new
      waiter.wake
      assert_equal 1, waiter.token.size
    end

    def test_a_fiber_is_woken_by_its_scheduler
      Thread.new do
        Sync do
          waiter = request.park
          Async { waiter.wake if waiter.mark_woken }
          Fiber.scheduler.block(waiter, nil)
          assert_equal :running, waiter.resume
        end
      end.join
    end

    def test_a_request_done_while_its_waiter_is_parked_wakes_it
      in_flight = codec
      parked, running = request, request
      [parked, running].each { |one| in_flight.submit(one) }
      parked.park
      woken = []
      in_flight.fail(woken) { "lost" }
      assert_equal [parked], woken
      assert [parked, running].all?(&:done?)
      refute_predicate parked, :parked?
    end

    def test_adopted_by_the_caller_that_waits_now
      waiter = foreign_request
      assert_nil waiter.adopt.scheduler
      assert_equal Fiber.current, waiter.fiber
    end

    def test_not_adopted_while_a_caller_waits_with_it
      waiter = foreign_request
      scheduler = waiter.scheduler
      waiter.park
      assert_same scheduler, waiter.adopt.scheduler
    end

    def test_the_earlier_deadline_holds
      hurried = request.limit(60)
      deadline = hurried.deadline
      assert_equal [deadline, false, false], [hurried.limit(90).deadline, hurried.deadline_passed?, hurried.wait_over?]
      assert_equal [true, true], [hurried.limit(0).deadline_passed?, hurried.wait_over?]
      assert_equal [nil, false], [request.deadline, request.deadline_passed?]
    end

    def test_patience_ends_before_the_deadline
      waiter = request.limit(60)
      waiter.wait_until = 0.0
      assert_equal [true, false], [waiter.wait_over?, waiter.deadline_passed?]
      waiter.wait_until = nil
      refute_predicate waiter, :wait_over?
    end

    def test_failed
      waiter = request.park
      assert_equal [waiter, true, false, "late"], [waiter.fail("late"), waiter.done?, waiter.parked?, waiter.failure]
      assert_equal [waiter, "late"], [waiter.fail("later"), waiter.failure]
    end

    def test_another_try_has_no_more_time
      first = request.limit(60)
      first.idempotent = true
      again = first.again
      assert_equal [first.deadline, true], [again.deadline, again.idempotent?]
      like = request.copy_limits(first)
      assert_equal [first.deadline, true], [like.deadline, like.idempotent?]
    end

    def test_requests_are_made_by_codecs_only
      assert_raises(TypeError, NoMethodError) { Request.new }
      assert_raises(TypeError, NoMethodError) { REQUEST.new }
      assert_raises(TypeError) { REQUEST.query(Object.new, []) }
      assert_raises(TypeError) { REQUEST.query(STATEMENT.new("SELECT 1", 0), nil) }
    end
  end
end
