# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require "support/gated"
require "support/schedulers/hosts"

# Fibers that never go on, as the thread of their event loop has ended; and threads that end and leave a connection behind. Others go on.
class DroppedFibersTest < Trunkline::TestCase
  include DatabaseHelpers
  include Gated
  include Hosts::Threads

  # Each fiber stays for ever where it first waits.
  class Dropping
    def io_wait(*) = Fiber.yield
    alias block io_wait
    alias kernel_sleep io_wait
    def unblock(*) = nil
    def close = nil
    def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)
  end

  def test_one_that_waits_for_an_answer
    name = unique_name
    with_client(connections: 1, max_connections: 2, application_name: name) do |db|
      ask(db, 1)
      drop(3) { ask(db, 2) }
      assert_equal [3, 4], [ask(db, 3), db.transaction { |tx| ask(tx, 4) }]
      assert_equal [1, 0], [sessions(name).size - db.stats[:spare], db.stats[:in_flight]]
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

  def test_a_future_that_no_fiber_waited_for_keeps_its_answer
    with_client(connections: 1, max_connections: 2) do |db|
      ask(db, 1)
      future = nil
      drop(1) { (future = db.async("SELECT 2")) && ask(db, 3) }
      assert_equal [4, 2], [ask(db, 4), future.value.value]
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
      assert_equal [5, 0], [db.transaction { |tx| ask(tx, 5) }, db.stats[:queue][:alone]]
    end
  end

  # What a host takes for a connection of its own is kept after SET, until its owner gives it back.
  def test_threads_that_end_and_leave_a_setting
    with_client(connections: 1, max_connections: 3) do |db|
      values = Array.new(8) do |number|
        Thread.new { db.virtual_session("test").tap { |own| own.ask("SET work_mem = '7MB'", []) }.ask("SELECT $1::int", [number]).rows[0][0] }.value
      end
      assert_equal [*0...8], values
    end
  end

  # Its owner is the thread that used it last.
  def test_a_connection_that_another_thread_has_taken_over
    with_client(connections: 1, max_connections: 2) do |db|
      own = Thread.new { db.virtual_session("test").tap { |session| session.ask("SET work_mem = '7MB'", []) } }.value
      own.ask("SELECT 1", [])
      waiting = Thread.new { db.transaction { |tx| ask(tx, 1) } }
      assert eventually { db.stats[:queue][:alone] == 1 }
      assert_equal [["7MB"]], own.ask("SHOW work_mem", []).rows
      own.reset
      assert_equal 1, waiting.value
    end
  end

  private

  # Runs the block in fibers of a loop that ends before they do.
  def drop(count, &block)
    Thread.new do
      Fiber.set_scheduler(Dropping.new)
      count.times { Fiber.schedule(&block) }
    end.join
  end
end
