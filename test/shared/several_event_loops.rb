# frozen_string_literal: true

module Shared
  # Several event loops, and the threads beside them, with one client. The test includes a host, which is one of them.
  module SeveralEventLoops
    # What one scheduler leaves open, idle or not, the next goes on with.
    def test_the_next_host_continues_with_the_same_connections
      name = unique_name
      with_client(connections: 1, application_name: name) do |db|
        pids = Array.new(3) { in_host { db.value("SELECT pg_backend_pid()") } }
        in_host { db.async("SELECT pg_sleep(0.1)") }
        pids << in_host { db.value("SELECT pg_backend_pid()") }
        assert_equal pids.uniq.sort, sessions(name).sort
      end
    end

    def test_threads_beside_the_host_share_its_connections
      name = unique_name
      with_client(connections: 2, max_connections: 2, application_name: name) do |db|
        threads = Array.new(8) { |number| Thread.new { Array.new(20) { db.value("SELECT $1::int", number) }.uniq } }
        in_host { assert_equal (1..30).to_a, (side_by_side(1..30) { |number| db.value("SELECT $1::int", number) }) }
        assert_equal (0...8).map { |number| [number] }, threads.map(&:value)
        assert_session_count(name, 2)
      end
    end

    def test_hosts_side_by_side_share_their_connections
      name = unique_name
      with_client(connections: 2, max_connections: 2, application_name: name) do |db|
        hosts = Array.new(6) { |host| Thread.new { in_host { ask_thirty(db, host) } } }
        assert_equal (0...6).map { |host| (1..30).map { |number| "#{host}-#{number}" } }, hosts.map(&:value)
        assert_session_count(name, 2)
      end
    end

    def test_the_host_waits_for_a_connection_that_a_thread_uses
      with_client(connections: 1) do |db|
        busy = busy_thread(db)
        in_host { assert_equal [1, 2, 3], (side_by_side(1..3) { |number| db.value("SELECT $1::int", number) }) }
        busy.join
      end
    end

    def test_a_thread_waits_for_a_connection_that_the_host_uses
      with_client(connections: 1) do |db|
        started = Thread::Queue.new
        thread = Thread.new { started.pop && Array.new(3) { |number| db.value("SELECT $1::int", number) } }
        in_host do
          sleeper = later { db.query("SELECT pg_sleep(0.3)") }
          started << true
          sleeper.value
        end
        assert_equal [0, 1, 2], thread.value
      end
    end

    def test_callers_that_give_up_waiting_for_a_connection
      with_client(connections: 1) do |db|
        busy = busy_thread(db)
        in_host do
          callers = Array.new(5) { |number| later { db.value("SELECT $1::int", number) } }
          callers.values_at(0, 2, 4).each { |caller| caller.cancel(Interruptions::Cancelled.new) }
          assert_equal [1, 3], callers.values_at(1, 3).map(&:value)
        end
        busy.join
      end
    end

    # Called to the free connection, and gone before its turn: the call goes to the next in line.
    def test_a_caller_that_leaves_after_its_wake_up_wakes_the_next
      with_client(connections: 1) do |db|
        busy = busy_thread(db)
        in_host do
          first = later { db.value("SELECT 1") }
          second = Thread.new { db.value("SELECT 2") }
          Thread.pass until second.stop?
          Thread.pass while busy.alive?
          first.cancel(Interruptions::Cancelled.new)
          assert_equal 2, second.value
        end
      end
    end

    private

    def ask_thirty(db, host)
      side_by_side(1..30) { |number| db.value("SELECT $1::text || '-' || $2::text", host.to_s, number.to_s) }
    end

    # A thread whose query is with the server, and takes a while.
    def busy_thread(db)
      name = "busy-#{SecureRandom.hex(4)}"
      thread = Thread.new { db.query("SELECT pg_sleep(0.3) /* #{name} */") }
      assert eventually { psql("SELECT 1 FROM pg_stat_activity WHERE query LIKE '%/* #{name} */' AND pid <> pg_backend_pid()").any? }
      thread
    end
  end
end
