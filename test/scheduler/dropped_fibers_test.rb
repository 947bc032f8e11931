# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require "support/dropped_fibers"
require "support/gated"
require "support/leeway"
require "support/schedulers/hosts"

# Fibers that never go on, as their event loop has ended with its thread, or as nothing refers to them; and threads that end and
# leave a connection behind. Others go on.
class DroppedFibersTest < Trunkline::TestCase
  include DatabaseHelpers
  include DroppedFibers
  include Gated
  include Hosts::Threads
  include Leeway

  def test_one_that_waits_for_an_answer
    name = unique_name
    with_client(connections: 1, max_connections: 2, application_name: name) do |db|
      ask(db, 1)
      drop(3) { ask(db, 2) }
      assert_equal [3, 4], [ask(db, 3), db.transaction { |tx| ask(tx, 4) }]
      assert(eventually { [1, 0] == [sessions(name).size - db.stats[:spare], db.stats[:in_flight]] }) # the server may still list one that was replaced
    end
  end

  # That its thread has left the event loop is evidence enough: others do not wait until the connection counts as stalled.
  def test_one_that_waits_for_an_answer_holds_up_no_other
    with_no_stalls do
      with_client(connections: 1, max_connections: 1, max_wait: 10) do |db|
        ask(db, 1)
        drop(3) { ask(db, 2) }
        assert_equal [3, 4], [ask(db, 3), db.transaction { |tx| ask(tx, 4) }]
      end
    end
  end

  # Its answer is read, and dropped.
  def test_one_that_waits_for_a_future
    with_client(connections: 1, max_connections: 2) do |db|
      future = db.async("SELECT 1")
      drop(1) { future.value }
      assert_equal [2, 0], [ask(db, 2), db.stats[:in_flight]]
    end
  end

  def test_one_that_waits_for_a_future_beside_a_thread
    with_client(connections: 1, max_connections: 2) do |db|
      future = db.async("SELECT 1")
      drop(1) { future.value }
      assert_kind_of Trunkline::Error, error_of(future)
    end
  end

  def test_a_future_that_no_fiber_waited_for_keeps_its_answer
    with_client(connections: 1, max_connections: 2) do |db|
      ask(db, 1)
      future = nil
      drop(1) { (future = db.async("SELECT 2")) && ask(db, 3) }
      assert_equal [4, 2], [ask(db, 4), future.value.value]
    end
  end

  # It has a connection for its own by then, which others have shared before.
  def test_one_that_waits_for_the_answer_to_a_future_before_its_transaction
    gated(max_connections: 1, max_wait: 20) do |db, proxy|
      proxy.hold(:answers)
      future = db.async("SELECT 1")
      drop(1) { db.transaction { |tx| ask(tx, 2) } }
      assert_equal [1, 1], db.stats.values_at(:pinned, :in_flight)
      proxy.release(:answers)
      assert_equal [3, 1], [db.transaction { |tx| ask(tx, 3) }, future.value.value]
    end
  end

  def test_one_that_has_a_transaction
    with_table("n int") do |table|
      with_client(connections: 1, max_connections: 2) do |db|
        ask(db, 1)
        db.transaction { |tx| ask(tx, 1) }
        drop(1) { db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (1)") } }
        assert_equal 1, db.stats[:pinned]
        assert_equal [2, 3], [ask(db, 2), db.transaction { |tx| ask(tx, 3) }]
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
      end
    end
  end

  def test_one_that_opens_a_connection
    with_client(connections: 1, max_connections: 2) do |db|
      drop(1) { ask(db, 1) }
      assert_equal [2, 3], [ask(db, 2), db.transaction { |tx| ask(tx, 3) }]
      drop(1) { db.transaction { |tx| db.transaction { ask(tx, 4) } } }
      assert_equal [5, 0], [db.transaction { |tx| ask(tx, 5) }, db.stats[:queue][:to_pin]]
    end
  end

  # It has not passed its turn on, whatever it waited for.
  def test_one_that_begins_a_subscription
    gated(max_connections: 3) do |db, proxy|
      kept = db.listen("kept")
      proxy.hold(:answers)
      drop(1) { db.listen("dropped") }
      proxy.release(:answers)
      other = Thread.new { db.listen("other") }
      assert other.join(60), "it waits for good"
      db.notify("other", "there")
      assert_equal ["there", false], [other.value.wait(20)&.payload, kept.closed?]
    end
  end

  # What a host takes for a connection of its own is kept after SET, until its owner gives it back.
  def test_threads_that_end_and_leave_a_setting
    with_client(connections: 1, max_connections: 3) do |db|
      values = Array.new(8) do |number|
        Thread.new { Trunkline::Postgres::AdapterInterface.of(db).virtual_session("test").tap { |own| own.query("SET work_mem = '7MB'", []) }.query("SELECT $1::int", [number]).rows[0][0] }.value
      end
      assert_equal [*0...8], values
    end
  end

  # Its holder is the thread that it was made for, not one that was lent it.
  def test_a_connection_that_another_thread_has_used
    with_client(connections: 1, max_connections: 2) do |db|
      own = Trunkline::Postgres::AdapterInterface.of(db).virtual_session("test")
      Thread.new { own.query("SET work_mem = '7MB'", []) }.join
      waiting = Thread.new { db.transaction { |tx| ask(tx, 1) } }
      assert eventually { db.stats[:queue][:to_pin] == 1 }
      assert_equal [["7MB"]], own.query("SHOW work_mem", []).rows
      own.reset
      assert_equal 1, waiting.value
    end
  end

  def test_a_session_that_another_thread_has_used
    with_client(connections: 1, max_connections: 2) do |db|
      waiting = db.session do |session|
        Thread.new { session.query("SET work_mem = '7MB'") }.join
        waiting = Thread.new { db.transaction { |tx| ask(tx, 1) } }
        assert eventually { db.stats[:queue][:to_pin] == 1 }
        assert_equal "7MB", session.value("SHOW work_mem")
        waiting
      end
      assert_equal 1, waiting.value
    end
  end

  # A suspended fiber is resumed by any part of the program that refers to it.
  def test_a_fiber_that_is_referred_to_keeps_its_transaction
    with_client(connections: 1, max_connections: 2, max_wait: 0.2) do |db|
      fiber = Fiber.new do
        db.transaction do |tx|
          ask(tx, 1)
          Fiber.yield
          ask(tx, 2)
        end
      end
      fiber.resume
      assert_raises(Trunkline::Overloaded) { db.transaction { |tx| ask(tx, 3) } }
      assert_equal 2, fiber.resume
    end
  end

  # Words that remain on the stack may keep some fibers, not all.
  def test_fibers_that_are_dropped_in_a_transaction
    with_table("n int") do |table|
      with_client(connections: 1, max_connections: 9, max_wait: 20) do |db|
        insert = ->(n) { db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (#{n})") && Fiber.yield } }
        assert_equal 8, (without_collection { Fiber.new { 8.times { |n| Fiber.new { insert.call(n) }.resume } }.resume && db.stats[:pinned] })
        assert_equal 1, Thread.new { db.transaction { |tx| ask(tx, 1) } }.value
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
      end
    end
  end

  def test_fibers_that_sleep_in_a_transaction_when_their_loop_is_dropped
    with_client(connections: 1, max_connections: 9, max_wait: 20) do |db|
      pinned = without_collection do
        Fiber.new { drop_sleeping(db, 8) }.resume
        db.stats[:pinned]
      end
      assert_equal [8, 1], [pinned, Thread.new { db.transaction { |tx| ask(tx, 1) } }.value]
    end
  end

  # A connection of another client refers to their event loop, too.
  def test_one_that_sleeps_in_a_transaction_beside_one_that_waits_on_another_client
    with_client(connections: 1, max_connections: 1) do |other|
      with_client(connections: 1, max_connections: 2, max_wait: 60) do |db|
        [db, other].each { |client| ask(client, 0) }
        fibers = [-> { db.transaction { |tx| ask(tx, 1) && sleep } }, -> { ask(other, 2) }]
        beside_a_thread_that_lives(-> { Fiber.new { UntilSleep.run { fibers.each { |fiber| Fiber.schedule(&fiber) } } }.resume }) do
          assert_equal [1, 1], [db.stats[:pinned], Thread.new { db.transaction { |tx| ask(tx, 1) } }.value]
        end
      end
    end
  end

  # Between two portions of what is in flight.
  def test_fibers_that_give_others_a_turn_in_a_stream_when_their_loop_is_dropped
    with_client(connections: 1, max_connections: 9, max_wait: 20) do |db|
      left = without_collection do
        Fiber.new { Turning.run { 8.times { Fiber.schedule { db.stream("SELECT n FROM generate_series(1, 5000) n") { flunk } } } } }.resume
        db.stats.values_at(:pinned, :in_flight)
      end
      assert_equal [8, 8], left
      assert_equal 1, Thread.new { db.transaction { |tx| ask(tx, 1) } }.value
    end
  end

  private

  def error_of(future)
    waiting = Thread.new do
      future.value && nil
    rescue Trunkline::Error => error
      error
    end
    assert waiting.join(60), "it waits for good"
    waiting.value
  end

  # What is dropped in the block is still there at its end.
  def without_collection
    GC.disable
    yield
  ensure
    GC.enable
  end

  # A loop that waits for sockets, and for nothing else.
  class Sleepless < Dropping
    def io_wait(io, events, timeout = nil)
      IO.select([io], (events & IO::WRITABLE).positive? ? [io] : nil, nil, timeout)
      events
    end
  end

  # One that waits for sockets until a fiber sleeps, and refers to all of its fibers.
  class UntilSleep < Sleepless
    def fiber(&) = super.tap { |fiber| (@fibers ||= []) << fiber }
    def kernel_sleep(*) = (@over = true) && Fiber.yield
    def io_wait(*) = @over ? Fiber.yield : super
  end

  # One that gives others a turn, and has no next one.
  class Turning < Sleepless
    def yield = Fiber.yield
  end

  def drop_sleeping(db, count) = Sleepless.run { count.times { Fiber.schedule { db.transaction { |tx| ask(tx, 1) && sleep } } } }
end
