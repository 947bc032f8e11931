# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require "support/dropped_fibers"
require "support/gated"
require "support/schedulers/hosts"
require "support/schedulers/reference_scheduler"

# Fibers that never go on, as their event loop was replaced in a thread that lives; and those that go on all the same. Others go on.
class ReplacedLoopsTest < Trunkline::TestCase
  include DatabaseHelpers
  include DroppedFibers
  include Gated
  include Hosts::Threads

  # The thread goes on without the event loop.
  def test_a_loop_that_is_replaced_while_fibers_wait_for_answers
    in_thread do |db|
      ask(db, 1)
      drop_in_this_thread(3) { ask(db, 2) }
      assert_equal [3, 4], [ask(db, 3), db.transaction { |tx| ask(tx, 4) }]
      assert_equal [0, 5], [db.stats[:in_flight], Thread.new { ask(db, 5) }.value]
    end
  end

  # Only that thread could tell that its fibers were dropped: the others open another connection.
  def test_a_loop_that_is_replaced_in_a_thread_that_queries_no_more
    with_client(connections: 1, max_connections: 3, max_wait: 20) do |db|
      ask(db, 1)
      dropped, finish = Array.new(2) { Thread::Queue.new }
      thread = Thread.new { drop_in_this_thread(1) { ask(db, 2) } && dropped.push(true) && finish.pop }
      dropped.pop
      assert_equal [3, 4], [ask(db, 3), db.transaction { |tx| ask(tx, 4) }]
      finish.push(true)
      thread.join
    end
  end

  # The other thread has its answer.
  def test_a_loop_that_is_replaced_while_a_fiber_waits_for_a_future_beside_a_thread
    with_client(connections: 1, max_connections: 2) do |db|
      ask(db, 1)
      future = db.async("SELECT 2")
      dropped, finish = Array.new(2) { Thread::Queue.new }
      thread = keep_after(finish) { drop_in_this_thread(1) { future.value } && dropped.push(true) }
      dropped.pop
      waiting = Thread.new { future.value.value }
      assert waiting.join(60), "it waits for good"
      assert_equal 2, waiting.value
      finish.close
      thread.join
    end
  end

  # What was answered is read by the others, and the connections are replaced.
  def test_loops_that_are_replaced_in_threads_that_query_no_more_and_keep_all_connections
    with_client(connections: 2, max_connections: 2, max_wait: 20) do |db|
      ask(db, 1)
      db.transaction { |tx| ask(tx, 1) }
      finish = Thread::Queue.new
      threads = Array.new(2) { keep_after(finish) { drop_in_this_thread(1) { ask(db, 2) } } }
      assert eventually { db.stats[:in_flight] == 2 }
      assert_equal [3, 4], [ask(db, 3), db.transaction { |tx| ask(tx, 4) }]
      finish.close
      threads.each(&:join)
    end
  end

  # It ends that connection on its way to sleep, and is the one that is called by that: it is not to wake itself.
  def test_a_fiber_that_waits_for_a_connection_of_a_loop_that_was_replaced
    with_client(connections: 1, max_connections: 1, max_wait: 20) do |db|
      ask(db, 1)
      finish = Thread::Queue.new
      thread = keep_after(finish) { drop_in_this_thread(1) { ask(db, 2) } }
      assert eventually { db.stats[:in_flight] == 1 }
      ReferenceScheduler.run { |scheduler| assert_equal [3, []], [ask(db, 3), scheduler.violations] }
      finish.close
      thread.join
    end
  end

  # Ruby reads the memory of a fiber that had locked one, and was freed before it.
  def test_no_mutex_is_locked_while_a_fiber_waits_in_its_session
    locked = -> { ObjectSpace.each_object(Thread::Mutex).count(&:locked?) }
    in_thread do |db|
      db.transaction { |tx| ask(tx, 1) }
      before = locked.call
      fiber = drop_in_this_thread(1) { db.transaction { |tx| ask(tx, 2) } }.first
      assert_equal [true, before], [fiber.alive?, locked.call]
    end
  end

  # Its connection was replaced meanwhile, and its answer had come.
  def test_a_loop_that_was_blocked_continues
    with_client(connections: 1, max_connections: 1, max_wait: 20) do |db|
      asked, go_on = Array.new(2) { Thread::Queue.new }
      ask(db, 0)
      blocked = Thread.new do
        Sync do |task|
          asking = task.async { [ask(db, 1), ask(db, 2)] }
          asked << true
          Fiber.new(blocking: true) { go_on.pop }.resume
          asking.wait
        end
      end
      asked.pop
      assert_equal 3, ask(db, 3)
      go_on << true
      assert_equal [1, 2], blocked.value
    end
  end

  def test_a_loop_that_is_replaced_while_a_fiber_opens_a_connection
    in_thread do |db|
      drop_in_this_thread(1) { ask(db, 1) }
      assert_equal [2, 3], [ask(db, 2), db.transaction { |tx| ask(tx, 3) }]
      drop_in_this_thread(1) { db.transaction { |tx| db.transaction { ask(tx, 4) } } }
      assert_equal [5, 0, 0], [db.transaction { |tx| ask(tx, 5) }, db.stats[:queue][:to_pin], db.stats[:opening]]
    end
  end

  def test_a_loop_that_is_replaced_while_a_fiber_waits_in_its_transaction
    in_thread do |db|
      ask(db, 1)
      db.transaction { |tx| ask(tx, 1) }
      drop_in_this_thread(1) { db.transaction { |tx| ask(tx, 2) } }
      assert_equal 1, db.stats[:pinned]
      assert_equal [3, 4], [ask(db, 3), db.transaction { |tx| ask(tx, 4) }]
    end
  end

  # As it is resumed all the same, its connection is one of the client's after all. One to which the server has answered at once waited for an
  # answer instead.
  def test_a_fiber_of_a_loop_that_was_replaced_continues
    in_thread do |db|
      fiber = drop_in_this_thread(1) { cancelled { ask(db, 1) } }.first
      assert_equal 2, ask(db, 2)
      fiber.resume while fiber.alive?
      assert_equal [3, 0], [db.transaction { |tx| ask(tx, 3) }, db.stats[:opening]]
    end
  end

  # Another caller has read its answer: it is told so, and does not wait for a further one.
  def test_a_fiber_of_a_loop_that_was_replaced_continues_after_its_answer_was_read
    in_thread do |db|
      ask(db, 1)
      error = nil
      fiber = drop_in_this_thread(1) { error = cancelled { ask(db, 2) } }.first
      assert_equal 3, ask(db, 3)
      fiber.resume
      assert_equal [false, Trunkline::Cancelled, 4], [fiber.alive?, error.class, ask(db, 4)]
    end
  end

  private

  # @return [Trunkline::Cancelled, Object] why there was no answer, or what the block returned
  def cancelled
    yield
  rescue Trunkline::Cancelled => error
    error
  end
end
