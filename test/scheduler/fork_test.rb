# frozen_string_literal: true

require "suites"
require "support/children"
require "support/chosen_pauses"
require "support/gate_proxy"

# What a forked child does, and what its parent notices of it: nothing.
class ForkTest < Trunkline::TestCase
  include DatabaseHelpers
  include Children
  include Trunkline::ChosenPauses
  include Hosts::Threads

  def test_a_child_has_connections_of_its_own
    with_client(connections: 1) do |db|
      before = backend(db)
      child = in_child { Array.new(3) { backend(db) } }
      assert_equal 1, child.uniq.size
      refute_includes child, before
      assert_equal before, backend(db)
    end
  end

  def test_a_child_that_closes_closes_only_its_own
    with_client(connections: 2) do |db|
      before = backend(db)
      assert_equal "Trunkline::Closed", (in_child { (backend(db) && db.close) || error_of { backend(db) } })
      assert_nil(in_child { db.close })
      assert_equal before, backend(db)
    end
  end

  def test_a_fork_while_threads_ask
    with_client(connections: 2) do |db|
      stop = false
      threads = Array.new(6) { |number| Thread.new { asks(db, number) { stop } } }
      children = Array.new(5) { in_child { Array.new(10) { |number| db.value("SELECT $1::int", number) } } }
      stop = true
      assert_equal [true] * 6, threads.map(&:value)
      assert_equal [(0...10).to_a] * 5, children
    end
  end

  def test_a_fork_while_an_event_loop_queries
    with_client(connections: 2) do |db|
      stop = false
      loops = Array.new(2) { Thread.new { Sync { side_by_side(1..20) { |number| asks(db, number) { stop } } } } }
      children = Array.new(5) { in_child { Sync { side_by_side(1..10) { |number| db.value("SELECT $1::int", number) } } } }
      stop = true
      assert_equal [[true] * 20] * 2, loops.map(&:value)
      assert_equal [(1..10).to_a] * 5, children
    end
  end

  def test_what_the_parent_has_in_flight_fails_in_the_child
    with_client(connections: 1) do |db|
      future = db.async("SELECT pg_sleep(0.2), 7")
      assert_match(/\ATrunkline::/, in_child { error_of { future.value } })
      assert_equal 7, future.value.rows[0][1]
    end
  end

  def test_a_transaction_stays_the_parents
    with_table("id int") do |table|
      with_client do |db|
        db.transaction do |tx|
          tx.query("INSERT INTO #{table} VALUES (1)")
          assert_match(/\ATrunkline::/, in_child { error_of { tx.query("INSERT INTO #{table} VALUES (2)") } })
        end
        assert_equal [[1]], db.query("SELECT id FROM #{table}").rows
      end
    end
  end

  def test_a_child_of_a_child
    with_client(connections: 1) do |db|
      pids = in_child { [backend(db), in_child { backend(db) }, backend(db)] }
      assert_equal pids[0], pids[2]
      refute_equal pids[0], pids[1]
    end
  end

  # The child waits for its thread where it blocks: the loop it would wait in has its parent's fibers.
  def test_a_fork_within_a_fiber
    ReferenceScheduler.run(limit: Hosts::LIMIT) do
      with_client(connections: 1) do |db|
        backend(db)
        neighbours = Array.new(5) { |number| Caller.new { db.value("SELECT pg_sleep(0.1) IS NULL, $1::int", number) } }
        assert_equal 5, in_child { Fiber.new(blocking: true) { Thread.new { db.value("SELECT 5") }.value }.resume }
        assert_equal [false] * 5, neighbours.map(&:value)
      end
    end
  end

  # As servers do that load everything, and then fork workers.
  def test_many_children_at_once
    with_client(connections: 2, application_name: name = unique_name) do |db|
      before = Array.new(8) { Thread.new { backend(db) } }.map(&:value).uniq
      children = Array.new(8) { |child| Thread.new { in_child { Array.new(20) { |number| db.value("SELECT $1::int", (child * 100) + number) } << backend(db) } } }.map(&:value)
      assert_equal (0...8).map { |child| Array.new(20) { |number| (child * 100) + number } }, children.map { |answers| answers.first(20) }
      assert_equal 8, children.map(&:last).uniq.size
      assert_empty children.map(&:last) & before
      assert_includes before, backend(db)
      assert eventually { sessions(name).sort == sessions(name).sort & before }
    end
  end

  # The process that goes on is a child; the one that connected has gone, and its sessions with it.
  def test_a_program_that_becomes_a_daemon
    reader, writer = IO.pipe
    pid = Process.fork do
      Trunkline.postgres(postgres_server.uri, connections: 1) do |db|
        before = backend(db)
        Process.daemon(true, true)
        writer.puts(backend(db) != before, db.transaction { |tx| tx.value("SELECT 7") })
      end
      exit!(0)
    end
    Process.wait(pid)
    writer.close
    assert_equal "true\n7\n", reader.read
  end

  # The first to ask leads, and sleeps; the second has submitted its query, and gives the others a turn before it writes.
  def test_a_fork_between_a_question_and_its_sending
    GateProxy.open(postgres_server) do |proxy|
      ReferenceScheduler.run(limit: Hosts::LIMIT) do
        Trunkline.postgres(proxy.uri, connections: 1) do |db|
          db.value("SELECT $1::int", 0)
          proxy.hold(:answers)
          before = proxy.messages(:requests)["S"]
          leader = Caller.new { db.value("SELECT $1::int", 1) }
          proxy.await_messages(:requests, "S", before + 1)
          asker = Caller.new { db.value("SELECT $1::int", 2) }
          assert_equal 3, in_child_first(-> { proxy.release(:answers) }) { db.value("SELECT $1::int", 3) }
          assert_equal [1, 2], [leader.value, asker.value]
          assert_equal before + 3, proxy.messages(:requests)["S"]
        end
      end
    end
  end

  def test_a_child_within_a_transaction_starts_afresh_after_it
    with_client do |db|
      db.transaction do |tx|
        tx.query("SELECT 1")
        assert_equal ["Trunkline::ConnectionError", 2], in_child { [error_of { db.query("SELECT 1") }, Thread.new { db.value("SELECT 2") }.value] }
        assert_equal 3, tx.value("SELECT 3")
      end
    end
  end

  # The child has a copy of the fiber that connects, and of its socket. What the server says is for the parent alone.
  def test_a_fork_while_a_fiber_connects
    ReferenceScheduler.run(limit: Hosts::LIMIT) do
      GateProxy.open(postgres_server) do |proxy|
        Trunkline.postgres(proxy.uri, connections: 1) do |db|
          proxy.hold(:answers)
          connecting = Caller.new { db.value("SELECT 1") }
          proxy.await_messages(:requests, :startup, 1)
          child = in_child_first(-> { proxy.release(:answers) }) { [connecting.error.class, db.value("SELECT 2"), db.inspect[/shared.*/]] }
          assert_equal [Trunkline::Closed, 2, "shared=1 pinned=0 spare=0 opening=0>"], child
          assert_equal 1, connecting.value
        end
      end
    end
  end

  # The child continues the event loop, which has copies of the fibers that wait: their statements are the parent's.
  def test_a_fork_while_fibers_wait_for_a_connection
    with_table("id int") do |table|
      ReferenceScheduler.run(limit: Hosts::LIMIT) do
        Trunkline.postgres(postgres_server.uri, connections: 1, max_connections: 1) do |db|
          held, free = Array.new(2) { Thread::Queue.new }
          holder = Caller.new { db.session { |session| held << session.value("SELECT 1") and free.pop } }
          held.pop
          waiting = [Caller.new { db.query("INSERT INTO #{table} VALUES (1)") }, Caller.new { db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (2)") } }]
          child = in_child_first(-> {}) { [*waiting.map { |caller| caller.error.class }, db.value("SELECT count(*) FROM #{table}")] }
          assert_equal [Trunkline::Closed, Trunkline::Closed, 0], child
          free << :now
          [holder, *waiting].each(&:value)
          assert_equal [[1], [2]], db.query("SELECT id FROM #{table} ORDER BY id").rows
        end
      end
    end
  end

  def test_a_fork_in_the_pause_before_a_transaction_is_tried_again
    ReferenceScheduler.run(limit: Hosts::LIMIT) do
      with_client(connections: 1) do |db|
        with_pauses_between_tries(0.05) do |pauses|
          tries = 0
          repeating = Caller.new do
            db.transaction(retries: 3) { |tx| (tries += 1) > 3 ? tries : tx.query("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$") }
          end
          pauses.pop
          assert_equal [Trunkline::Closed, 1], in_child_first(-> {}) { [repeating.error.class, tries] }
          assert_equal 4, repeating.value
        end
      end
    end
  end

  # A child of a child of a child keeps nothing of its parents' connections.
  # Each listens again when the child waits on it, whatever the child has done before.
  def test_subscriptions_that_a_child_has_inherited
    with_client(connections: 1) do |db|
      inherited, unused = db.listen("inherited"), db.listen("unused")
      heard = lambda do
        db.listen("own")
        gap = inherited.wait(20)&.gap?
        db.notify("inherited", "to the child")
        [gap, inherited.wait(20)&.payload]
      end
      assert_equal [true, "to the child"], in_child(&heard)
      db.notify("unused", "to the parent")
      assert_equal "to the parent", unused.wait(20).payload
    end
  end

  def test_a_chain_of_children
    with_client(connections: 1) do |db|
      connections = lambda do
        [db.listen("chain"), db.transaction { |tx| tx.value("SELECT 1") }]
        GC.start
        ObjectSpace.each_object(Trunkline.const_get(:Trunk)).count
      end
      connections.call
      inherited = -> { in_child { [connections.call, in_child { [connections.call, in_child { connections.call }] }].flatten } }
      first, _, third = inherited.call
      assert_operator third, :<=, first
    end
  end

  private

  # Runs the block in a forked child while this process's event loop stands still.
  #
  # @param meanwhile [Proc] what a thread of this process does
  # @return what the block returns
  def in_child_first(meanwhile, &block)
    reader, writer = IO.pipe
    pid = Process.fork { writer << Marshal.dump(block.call) and exit!(0) }
    thread = Thread.new(&meanwhile)
    hung = IO.select([reader], nil, nil, Children::PATIENCE).nil?
    Process.kill(:KILL, pid) if hung
    thread.join
    Process.wait(pid)
    hung ? "the child hangs" : Marshal.load(reader)
  end

  def backend(db)
    db.value("SELECT pg_backend_pid()")
  end

  def asks(db, number)
    right = true
    right &&= db.value("SELECT $1::int", number) == number until yield
    right
  end
end
