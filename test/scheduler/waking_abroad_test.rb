# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/requests"
require "support/schedulers/reference_scheduler"

module Trunkline
  # A caller that wakes a fiber of another scheduler owes it the wake-up whatever happens to the caller meanwhile: the fiber would sleep for ever.
  class WakingAbroadTest < TestCase
    include Requests

    # Seconds.
    LIMIT = 30

    # Keeps a caller that wakes its fibers from another thread until the test lets it go.
    class Detaining < ReferenceScheduler
      attr_reader :gate

      def initialize(gate: Thread::Queue.new, **options)
        super(**options)
        @gate = gate
      end

      def unblock(blocker, fiber)
        gate.pop if blocker.is_a?(Request) && !Thread.current.equal?(@thread)
        super
      end
    end

    # What goes wrong in it is its own.
    class Broken < ReferenceScheduler
      def unblock(blocker, fiber)
        super
        raise ArgumentError, "broken" if blocker.is_a?(Request)
      end
    end

    def test_by_a_thread_that_is_killed
      assert_woken { |waiter| Thread.new { Thread.handle_interrupt(Object => :on_blocking) { waiter.wake_if_parked } } }
    end

    def test_by_a_thread_that_is_killed_where_nothing_protects_it
      assert_woken { |waiter| Thread.new { waiter.wake_if_parked } }
    end

    def test_by_a_thread_that_gives_it_up
      assert_woken { |waiter| Thread.new { waiter.fail(Abandonment.new(:cancel, false)) } }
    end

    def test_by_a_fiber_that_is_stopped
      assert_woken { |waiter| Thread.new { Sync { Async { waiter.wake_if_parked }.stop } } }
    end

    def test_an_error_of_a_scheduler_is_told_and_harms_no_other_caller
      waiter, thread = sleeper(Broken)
      said = []
      Warning.stub(:warn, ->(message, **) { said << message }) { assert waiter.wake_if_parked }
      assert_match(/did not wake its fiber: broken \(ArgumentError\)/, said.join)
      assert_equal :woken, thread.value
    end

    private

    def assert_woken
      waiter, thread, gate = sleeper(Detaining)
      waker = yield(waiter)
      Thread.pass until waker.stop?
      waker.kill
      gate << :go
      assert_equal :woken, thread.value
      waker.join
    end

    # A fiber of such a scheduler that sleeps.
    def sleeper(scheduler)
      asleep = Thread::Queue.new
      thread = Thread.new { scheduler.run(limit: LIMIT) { |host| sleep_in(host, asleep) } }
      thread.report_on_exception = false
      host, waiter = asleep.pop
      [waiter, thread, (host.gate if host.respond_to?(:gate))]
    end

    def sleep_in(host, asleep)
      waiter = request.park
      asleep << [host, waiter]
      host.block(waiter, nil) while waiter.resume.nil?
      :woken
    end
  end
end
