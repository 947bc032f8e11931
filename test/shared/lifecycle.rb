# frozen_string_literal: true

module Shared
  # What a client leaves behind: nothing. The test includes a host.
  module Lifecycle
    def test_close_leaves_no_session_no_socket_and_no_thread
      name = unique_name
      warm_up
      before = open_files
      in_host do
        threads = Thread.list
        with_client(connections: 4, application_name: name) do |db|
          side_by_side(1..50) { |number| db.value("SELECT $1::int", number) }
          db.transaction { |tx| tx.query("SELECT 1") }
          db.session { |session| session.query("SELECT 1") }
          db.execute_script("SELECT 1; SELECT 2")
          db.async("SELECT 1")
        end
        assert_empty Thread.list.select(&:alive?) - threads
      end
      assert_no_sessions(name)
      assert_equal before, open_files
    end

    def test_close_in_the_middle_leaves_nothing
      name = unique_name
      warm_up
      before = open_files
      in_host do
        callers = nil
        with_client(connections: 3, application_name: name) do |db|
          db.value("SELECT 1")
          callers = Array.new(12) { |number| later { number.odd? ? db.query("SELECT pg_sleep(0.3)") : hold_a_transaction(db) } }
        end
        callers.each(&:error)
      end
      assert_no_sessions(name)
      assert_equal before, open_files
    end

    def test_a_client_that_never_asked_has_no_connection
      name = unique_name
      in_host_with_client(application_name: name) { assert_empty sessions(name) }
    end

    # What one scheduler leaves open, idle or not, the next goes on with.
    def test_the_next_host_goes_on_with_the_same_connections
      name = unique_name
      db = Trunkline.postgres(postgres_server.uri, connections: 1, application_name: name)
      pids = Array.new(3) { in_host { db.value("SELECT pg_backend_pid()") } }
      in_host { db.async("SELECT pg_sleep(0.1)") }
      pids << in_host { db.value("SELECT pg_backend_pid()") }
      assert_equal pids.uniq, sessions(name)
    ensure
      db&.close
    end

    def test_threads_beside_the_host_share_its_connections
      name = unique_name
      with_client(connections: 2, max_connections: 2, application_name: name) do |db|
        threads = Array.new(8) { |number| Thread.new { Array.new(20) { db.value("SELECT $1::int", number) }.uniq } }
        in_host { assert_equal (1..30).to_a, (side_by_side(1..30) { |number| db.value("SELECT $1::int", number) }) }
        assert_equal (0...8).map { |number| [number] }, threads.map(&:value)
        assert_equal 2, sessions(name).size
      end
    end

    private

    def hold_a_transaction(db)
      db.transaction { |tx| tx.query("SELECT pg_sleep(0.3)") }
    end

    # What the host opens once and keeps is not the client's.
    def warm_up
      in_host { side_by_side(1..2) { sleep(0) } }
    end

    def open_files
      GC.start
      Dir.children("/dev/fd").size
    end
  end
end
