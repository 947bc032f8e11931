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

    def test_a_client_without_a_query_has_no_connection
      name = unique_name
      in_host_with_client(application_name: name) { assert_empty sessions(name) }
    end

    private

    def hold_a_transaction(db)
      db.transaction { |tx| tx.query("SELECT pg_sleep(0.3)") }
    end

    # What the host opens once and keeps is not the client's, nor is the session over which the tests query the server.
    def warm_up
      psql("SELECT 1")
      in_host { side_by_side(1..2) { sleep(0) } }
    end

    def open_files
      GC.start
      Dir.children("/dev/fd").size
    end
  end
end
