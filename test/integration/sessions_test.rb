# frozen_string_literal: true

require "suites"

# Transactions and sessions: a connection of one's own, and nothing of it is left for the next.
class SessionsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  def with_ids
    with_table("id int") { |table| in_host_with_client(connections: 2, max_connections: 4) { |db| yield db, table } }
  end

  def ids(table) = psql("SELECT id FROM #{table} ORDER BY id").map(&:to_i)

  def test_commit
    with_ids do |db, table|
      assert_equal :value, db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (1)") && :value }
      assert_equal [1], ids(table)
    end
  end

  # What others have drawn over the same connection is theirs; what the transaction or session itself has drawn is known to its end.
  def test_the_last_number_of_a_sequence_is_ones_own
    with_table("id serial") do |table|
      in_host_with_client(connections: 1, max_connections: 1) do |db|
        draw = "INSERT INTO #{table} DEFAULT VALUES"
        ask = ["SELECT lastval()", "SELECT currval('#{table}_id_seq')", "SELECT 1 WHERE set_config('app.number', currval('#{table}_id_seq')::text, true) = '1'"]
        ask.each do |sql|
          [:transaction, :session].each do |lease|
            db.query(draw)
            assert_raises(Trunkline::ObjectNotInPrerequisiteState, sql) { db.public_send(lease) { |own| own.query(sql) } }
            assert_raises(Trunkline::ObjectNotInPrerequisiteState, sql) { db.public_send(lease) { |own| own.query("SELECT 1") && own.query(sql) } }
            assert_raises(Trunkline::ObjectNotInPrerequisiteState, sql) { db.public_send(lease) { |own| own.execute_script(sql) } }
            assert_equal 1, db.public_send(lease) { |own| own.query(draw) && own.query(ask.first) && own.query("SELECT 1") && own.query(ask.first).rows.size }
          end
        end
      end
    end
  end

  def test_rollback_by_any_way_out
    with_ids do |db, table|
      insert = ->(tx) { tx.query("INSERT INTO #{table} VALUES (1)") }
      assert_raises(IndexError) { db.transaction { |tx| insert.call(tx) && raise(IndexError) } }
      assert_nil db.transaction { |tx| insert.call(tx) && raise(Trunkline::Rollback) }
      assert_equal :thrown, catch(:out) { db.transaction { |tx| insert.call(tx) && throw(:out, :thrown) } }
      assert_empty ids(table)
    end
  end

  def test_savepoints
    with_ids do |db, table|
      db.transaction do |tx|
        tx.query("INSERT INTO #{table} VALUES (1)")
        tx.transaction { tx.query("INSERT INTO #{table} VALUES (2)") }
        assert_raises(IndexError) { tx.transaction { tx.query("INSERT INTO #{table} VALUES (3)") && raise(IndexError) } }
        assert_nil tx.transaction { tx.transaction { tx.query("INSERT INTO #{table} VALUES (4)") } && raise(Trunkline::Rollback) }
        assert_raises(Trunkline::DivisionByZero) { tx.transaction { tx.query("SELECT 1/0") } }
        tx.query("INSERT INTO #{table} VALUES (5)")
      end
      assert_equal [1, 2, 5], ids(table)
    end
  end

  def test_a_failed_transaction_is_no_success
    with_ids do |db, table|
      error = assert_raises(Trunkline::InFailedSqlTransaction) do
        db.transaction do |tx|
          tx.query("INSERT INTO #{table} VALUES (1)")
          assert_raises(Trunkline::DivisionByZero) { tx.query("SELECT 1/0") }
          assert_predicate tx, :failed?
          assert_raises(Trunkline::InFailedSqlTransaction) { tx.query("SELECT 1") }
        end
      end
      assert_match(/rolled back/, error.message)
      assert_empty ids(table)
      assert_equal 1, db.value("SELECT 1")
    end
  end

  def test_an_error_in_a_deferred_check
    with_table("id int UNIQUE DEFERRABLE INITIALLY DEFERRED") do |table|
      in_host_with_client do |db|
        assert_raises(Trunkline::UniqueViolation) { db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (1), (1)") } }
        assert_raises(Trunkline::UniqueViolation) { db.query("INSERT INTO #{table} VALUES (1), (1)") }
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
      end
    end
  end

  def test_queries_of_the_same_caller_go_to_the_transaction
    with_ids do |db, table|
      db.transaction do |tx|
        db.query("INSERT INTO #{table} VALUES (1)")
        assert_equal [1, 1, 0], [db.value("SELECT count(*) FROM #{table}"), db.async("SELECT count(*) FROM #{table}").value.value, ids(table).size]
        assert_equal tx.value("SELECT pg_backend_pid()"), db.value("SELECT pg_backend_pid()")
        db.transaction { db.query("INSERT INTO #{table} VALUES (2)") && raise(Trunkline::Rollback) }
        assert_equal 0, Thread.new { db.value("SELECT count(*) FROM #{table}") }.value
      end
      assert_equal [1], ids(table)
    end
  end

  def test_a_transaction_beside_queries_and_others
    with_ids do |db, table|
      side_by_side(1..30) do |number|
        db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES ($1)", number) && number % 3 == 0 && raise(Trunkline::Rollback) }
        db.value("SELECT $1::int", number)
      end
      assert_equal (1..30).reject { |number| (number % 3).zero? }, ids(table)
    end
  end

  def test_a_session_outlives_its_transactions
    with_ids do |db, table|
      db.session do |session|
        session.transaction { session.query("INSERT INTO #{table} VALUES (1)") }
        session.transaction { session.query("INSERT INTO #{table} VALUES (2)") && raise(Trunkline::Rollback) }
        session.query("INSERT INTO #{table} VALUES (3)")
      end
      assert_equal [1, 3], ids(table)
    end
  end

  def test_what_a_session_leaves_open_is_rolled_back
    with_ids do |db, table|
      db.session { |session| session.query("BEGIN") && session.query("INSERT INTO #{table} VALUES (1)") }
      db.session do |session|
        session.query("BEGIN")
        assert_raises(Trunkline::DivisionByZero) { session.query("SELECT 1/0") }
      end
      assert_empty ids(table)
      side_by_side(1..20) { |number| assert_equal number, db.value("SELECT $1::int", number) }
    end
  end

  STATE = <<~SQL
    SET application_name = 'mine'; SET statement_timeout = 12345; SET ROLE pg_monitor; CREATE TEMP TABLE mine (id int);
    SELECT pg_advisory_lock(4711); LISTEN mine; DECLARE mine CURSOR WITH HOLD FOR SELECT 1; SELECT set_config('my.setting', 'x', false)
  SQL
  private_constant :STATE

  def test_nothing_is_left_for_the_next
    in_host_with_client(connections: 1, max_connections: 2, application_name: name = unique_name) do |db|
      db.query("SELECT 1") # from now on there is a shared connection, and another one for sessions
      pid = db.session { |session| session.execute_script(STATE) && session.value("SELECT pg_backend_pid()") }
      db.session do |session|
        assert_equal pid, session.value("SELECT pg_backend_pid()")
        assert_equal [[name, "0", "none"]], session.query("SELECT current_setting('application_name'), current_setting('statement_timeout'), current_setting('role')").rows
        assert_equal [nil, ""], session.query("SELECT to_regclass('mine'), coalesce(current_setting('my.setting', true), '')").rows.first
        assert_equal 0, session.value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        assert_empty session.query("SELECT * FROM pg_listening_channels()").rows + session.query("SELECT * FROM pg_cursors WHERE name = 'mine'").rows
        assert_equal "postgres", session.value("SELECT current_user")
      end
    end
  end

  def test_plans_are_left_for_the_next
    in_host_with_client(connections: 1, max_connections: 2) do |db|
      db.query("SELECT 1") # from now on there is a shared connection, and another one for sessions
      sql = "SELECT $1::int AS planned"
      count = "SELECT count(*) FROM pg_prepared_statements WHERE statement = $1"
      db.session { |session| session.query(sql, 1) }
      db.session do |session|
        assert_equal 1, session.value(count, sql)
        session.query(sql, 2)
        assert_equal 1, session.value(count, sql)
      end
    end
  end

  def test_a_session_that_has_ended
    in_host_with_client do |db|
      kept = db.session { |session| session }
      { query: ["SELECT 1"], first: ["SELECT 1"], value: ["SELECT 1"], execute_script: ["SELECT 1"], async: ["SELECT 1"] }.each do |verb, arguments|
        assert_raises(Trunkline::Closed, verb) { kept.public_send(verb, *arguments) }
      end
      assert_raises(Trunkline::Closed) { kept.transaction { flunk } }
    end
  end

  def test_a_session_whose_connection_is_lost
    in_host_with_client(connections: 2) do |db|
      error = assert_raises(Trunkline::Error) do
        db.transaction do |tx|
          pid = tx.value("SELECT pg_backend_pid()")
          psql("SELECT pg_terminate_backend(#{pid})")
          assert eventually { psql("SELECT count(*) FROM pg_stat_activity WHERE pid = #{pid}") == ["0"] }
          tx.query("SELECT 1")
        end
      end
      assert_match(/connection/, error.message)
      assert_equal 1, db.transaction { |tx| tx.value("SELECT 1") }
    end
  end

  # Ruby's own, which the oldest versions do by throw and the others by an exception. On a busy machine it strikes earlier.
  def test_a_timeout_in_the_block
    [Hosts::Threads, Hosts::Async].each do |host|
      extend(host)
      with_ids do |db, table|
        assert_raises(Timeout::Error) { Timeout.timeout(0.05) { db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (1)") && sleep } } }
        assert_empty ids(table)
        assert_match(/pinned=0/, db.inspect)
      end
    end
  end

  # The thread holds the transaction, and the event loop is part of what the thread does.
  def test_an_event_loop_within_a_threads_transaction
    with_table("id int") do |table|
      with_client do |db|
        db.transaction do |tx|
          tx.query("INSERT INTO #{table} VALUES (1)")
          assert_equal [1, 1], (Sync { |task| [db.value("SELECT count(*) FROM #{table}"), task.async { db.value("SELECT count(*) FROM #{table}") }.wait] })
        end
      end
    end
  end

  # The thread has held transactions before, of which nothing is left.
  def test_fibers_within_a_later_transaction_of_a_thread_when_garbage_was_collected
    with_table("id int") do |table|
      with_client do |db|
        20.times { db.transaction { |tx| tx.query("SELECT 1") } }
        db.transaction do |tx|
          tx.query("INSERT INTO #{table} VALUES (1)")
          3.times { GC.start }
          count = -> { db.value("SELECT count(*) FROM #{table}") }
          assert_equal [1, 1], [Sync { count.call }, Enumerator.new { |yielder| yielder << count.call }.next]
        end
      end
    end
  end

  def test_names_are_symbols_everywhere
    in_host_with_client(keys: :symbol) do |db|
      expected = { a: 1, b: "x" }
      sql = "SELECT 1 AS a, 'x' AS b"
      assert_equal [expected] * 5, [db.query(sql).first, db.first(sql), db.async(sql).value.first, db.execute_script(sql).first.first,
                                    db.transaction { |tx| tx.first(sql) }]
    end
  end
end
