# frozen_string_literal: true

require "suites"
require "support/leeway"

# The client in Async's fibers.
class UnderAsyncTest < Trunkline::TestCase
  include Hosts::Async
  include Leeway
  include Suites::All

  # Hundreds of event loops that live for one query share what is open.
  def test_many_short_lived_event_loops
    name = unique_name
    shared_client(name) do |db|
      pids = Array.new(2) { pids_seen_by_threads(64) { Sync { Array.new(3) { backend(db) } } } }
      assert_equal [[], 4], [pids.flatten - sessions(name), sessions(name).size]
    end
  end

  def test_many_short_lived_event_loops_with_tasks_in_each
    name = unique_name
    shared_client(name) do |db|
      pids = pids_seen_by_threads(64) do
        Sync { |task| Array.new(5) { task.async { backend(db) } }.map(&:wait) }
      end
      assert_empty pids - sessions(name)
      assert_operator sessions(name).size, :<=, 4
    end
  end

  def test_a_task_stopped_while_it_waits
    in_host_with_client(connections: 1) do |db|
      task = Async { db.query("SELECT pg_sleep(0.2)") }
      others = side_by_side(1..10) { |number| number == 5 ? task.stop.nil? : db.value("SELECT $1::int", number) }
      assert_equal (1..10).to_a - [5], others.grep(Integer)
    end
  end

  def test_a_tasks_timeout
    gated do |db, proxy|
      proxy.hold(:answers)
      assert_raises(Async::TimeoutError) { Async::Task.current.with_timeout(0.02) { db.query("SELECT 1") } }
      proxy.release(:answers)
      assert_equal 1, db.value("SELECT 1")
    end
  end

  private

  # None of its connections is closed because the event loop of the caller that reads has no turn for a second, behind those of 63 other threads.
  def shared_client(name, &block) = with_no_stalls { with_client(connections: 4, max_connections: 4, application_name: name, &block) }

  def backend(db)
    db.value("SELECT pg_backend_pid(), pg_sleep(0.002)")
  end

  def pids_seen_by_threads(count, &block)
    Array.new(count) { Thread.new(&block) }.flat_map(&:value).uniq.sort
  end
end
