# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/eventually"
require "support/pool_testing"
require "support/schedulers/dropping"

module Trunkline
  # Fibers that wait in a pool's line when their event loop or their thread ends: others pass them. In a thread that lives and asks nothing more
  # that shows by a call that no fiber of the event loop answers.
  class DroppedInLineTest < TestCase
    include Eventually
    include PoolTesting

    def setup
      super
      @finish = Thread::Queue.new
      @keepers = []
    end

    def teardown
      @finish.close
      @keepers.each(&:join)
      super
    end

    # The trunk was kept for it by the caller that gave it back.
    def test_one_that_waits_for_the_only_connection
      pool, own = lent
      asked = drop_in_line { |request| pool.perform(request) }
      pool.check_in(own)
      assert_equal [1, true], [own.active, asked.active?]
      a_second_later { assert_equal [own, own], [pool.perform(request), Thread.new { pool.perform(request) }.value] }
      assert_equal [0, false, 0], [own.active, asked.active?, pool.stats[:queue][:to_share]]
    end

    # Else its event loop could not be collected, where none waits after it.
    def test_a_caller_that_has_left_is_not_referred_to
      pool, own = lent
      waiting = waiting(pool) { |request| pool.check_out(request) }
      pool.check_in(own)
      assert_same own, waiting.value
      assert_nil pool.instance_variable_get(:@queue).instance_variable_get(:@watcher)
    end

    # For it, the trunk was taken from those that share.
    def test_one_that_waits_for_the_only_connection_to_be_its_own
      pool, own = lent
      drop_in_line { |request| pool.check_out(request) }
      pool.check_in(own)
      a_second_later { assert_same own, pool.perform(request) }
      assert_same own, pool.check_out(request)
    end

    # Those of one event loop are passed together: the first of them is not called again.
    def test_a_caller_that_waits_behind_several
      pool, own = lent(most: 2)
      drop_in_line(5) { |request| pool.check_out(request) }
      behind = waiting(pool) { |request| pool.check_out(request) }
      pool.check_in(own)
      assert_same own, behind.value
      assert_equal [0, 0], pool.stats[:queue].values_at(:to_share, :to_pin)
    end

    def test_one_of_a_thread_that_has_ended
      pool = self.pool(connections: 1, most: 2)
      pool.check_out(request)
      trunk = pool.dispatch(foreign = foreign_request)
      drop_in_line(ended: true) { |request| pool.perform(request) }
      behind = waiting(pool) { |asked| pool.perform(asked) }
      assert eventually { pool.stats[:queue][:to_share] == 1 }
      finish(trunk.codec) && trunk.state.leave(foreign)
      pool.freed
      assert_same trunk, behind.value
    end

    # They have been called, and wait for something else than the queue. Words that remain on the stack may keep some of them, not all.
    def test_callers_that_pin_are_dropped_after_they_have_left_the_queue
      queue = WaitQueue.new(Struct.new(:dispatcher).new, nil, Limits.new, "there", false)
      Fiber.new { 8.times { Fiber.new { join_and_leave(queue).then { |entry| Fiber.yield && entry } }.resume } }.resume
      assert_equal 8, queue.seeking
      GC.start
      assert_predicate queue, :any_gone?
      queue.forget_gone
      assert_operator queue.seeking, :<, 8
    end

    # It was taken for dropped, and stands where it stood.
    def test_an_event_loop_that_was_blocked
      pool, own = lent(most: 2)
      fiber_waits, go_on, served = Array.new(3) { Thread::Queue.new }
      @keepers << Thread.new do
        Sync do |task|
          task.async { pool.check_in(pool.check_out(request).tap { served << :fiber }) }
          fiber_waits << true
          Fiber.new(blocking: true) { go_on.pop }.resume
        end
      end
      fiber_waits.pop
      pool.check_in(own)
      a_second_later { assert_same own, pool.check_out(request) }
      behind = waiting(pool) { |asked| pool.check_out(asked) && served << :thread }
      go_on << true
      Thread.pass until pool.stats[:queue][:to_pin] == 2
      unhurried do # else the fiber counts as dropped again where its thread does not run for a second
        pool.check_in(own)
        assert_equal %i[fiber thread], Array.new(2) { served.pop }
        [behind, *@keepers].each(&:join)
      end
    end

    # As it is resumed all the same, it finds that it is not in line any more, and has its turn.
    def test_one_that_continues
      pool, own = lent
      fiber = answer = nil
      drop_in_line { |request| (fiber = Fiber.current) && answer = pool.perform(request) }
      pool.check_in(own)
      a_second_later { pool.perform(request) }
      @finish << -> { fiber.resume while fiber.alive? }
      @keepers.each(&:join)
      assert_equal [own, 0], [answer, own.active]
    end

    private

    # @return [Array(Pool, FakeTrunk)] a pool whose last connection this caller has for its own
    def lent(most: 1)
      pool = self.pool(connections: 1, most: most, limits: { max_wait: 20 })
      pool.perform(request)
      [pool, pool.check_out(request)]
    end

    # Runs the block in fibers of an event loop that ends, in a thread of its own, which goes on and asks nothing more.
    #
    # @param ended [Boolean] whether the thread ends, too
    # @return [Request] that the last of the fibers waits with
    def drop_in_line(count = 1, ended: false)
      asked = nil
      dropped = Thread::Queue.new
      @keepers << Thread.new do
        Dropping.run { count.times { Fiber.schedule { yield asked = request } } }
        dropped << true
        @finish.pop&.call unless ended
      end
      dropped.pop
      @keepers.last.join if ended
      assert_predicate asked, :parked?
      asked
    end

    # @return [CallerQueue::Entry] of a caller that is to pin a connection
    def join_and_leave(queue)
      CallerQueue::Entry.new(request, to_pin: true).tap do |entry|
        queue.join(entry)
        queue.leave(entry)
      end
    end

    def a_second_later(&block) = Waiting.stub(:now, -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) + 1 }, &block)
  end
end
