# frozen_string_literal: true

require "test_helper"
require "async"
require "trunkline/trunk/event_loop"

module Trunkline
  # The event loop of a thread, by which owners find out that it is over.
  class EventLoopTest < TestCase
    def test_the_fibers_of_a_loop_have_one_object
      Sync do |task|
        own = EventLoop.current
        assert_same own, task.async { EventLoop.current }.wait
        assert own.of?(Fiber.scheduler)
        refute_same own, Thread.new { Sync { EventLoop.current } }.value
      end
    end

    def test_a_loop_that_is_over
      first = second = nil
      Sync { first = EventLoop.current }
      refute_predicate first, :alive?
      Sync do
        second = EventLoop.current
        assert_equal [false, true], [first.alive?, second.alive?]
      end
    end

    def test_a_thread_without_one
      own = EventLoop.current
      assert_nil own.scheduler
      assert_equal [true, true], [own.alive?, Thread.new { own.alive? }.value]
      refute_predicate Thread.new { EventLoop.current }.value, :alive?
    end

    # Words that remain on the stack may keep some, not all.
    def test_loops_are_collected
      loops = Array.new(20) { Thread.new { Sync { EventLoop.current } }.value }
      GC.start
      collected = loops.count { |event_loop| !event_loop.scheduler.is_a?(Async::Scheduler) }
      assert_operator collected, :>, 0
    end
  end
end
