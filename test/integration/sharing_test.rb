# frozen_string_literal: true

require "suites"
require "support/sharing"

# On a real server: nothing that changes a session gets onto a connection that others share, and what only looks so does.
class SharingTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  # The least of each, to see that the probe finds it.
  STATES = {
    "SET x.y = 'leaked'" => "setting x.y", "SET work_mem = '1MB'" => "setting work_mem", "SET ROLE pg_monitor" => "role pg_monitor",
    "SELECT pg_advisory_lock(4711)" => "lock 4711", "DECLARE made CURSOR WITH HOLD FOR SELECT 1" => "cursor made",
    "LISTEN made" => "channel made", "PREPARE made AS SELECT 1" => "statement made", "CREATE TEMP TABLE made ()" => "temporary objects",
    "SELECT pg_create_physical_replication_slot('made', true, true)" => "slot made"
  }.freeze

  TABLES = <<~SQL
    CREATE TABLE t (id int PRIMARY KEY, a text); CREATE SEQUENCE s; SELECT nextval('s');
    CREATE PROCEDURE p() LANGUAGE plpgsql AS 'BEGIN INSERT INTO t VALUES (99); COMMIT; END';
    CREATE FUNCTION leak() RETURNS void LANGUAGE plpgsql AS 'BEGIN PERFORM set_config(''x.y'', ''leaked'', false); END';
    CREATE FUNCTION leak_zone() RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM set_config(''TimeZone'', ''Asia/Tokyo'', false); RETURN 1; END'
  SQL
  # By the version of PostgreSQL that it came with: SQL that older ones do not know.
  NEWER = { 14 => /\b(?:BEGIN ATOMIC|atomic_made)\b/, 15 => /\AMERGE\b/ }.freeze
  private_constant :STATES, :TABLES, :NEWER

  def with_database(**options)
    name = "sharing_#{SecureRandom.hex(6)}"
    psql("CREATE DATABASE #{name}")
    uri = postgres_server.uri(dbname: name)
    in_host do
      Trunkline.postgres(uri, connections: 1, max_connections: 2, **options) do |db| # so that a slow server is no reason for another one
        db.execute_script(TABLES)
        yield db
      end
    end
  ensure
    drop_database(name)
  end

  def found(asker) = asker.query(Sharing::PROBE).rows.flatten

  def test_the_probe_finds_what_there_is
    with_database do |db|
      STATES.each do |sql, state|
        assert_includes(db.session { |session| session.query(sql) && found(session) }, state, sql)
      end
      assert_empty found(db)
    end
  end

  def test_no_evasion_reaches_a_shared_connection
    with_database do |db|
      pid = db.value("SELECT pg_backend_pid()")
      Sharing::EVASIONS.each_value.map(&:to_a).flatten.each do |sql|
        error = assert_raises(Trunkline::SharedStateError, Trunkline::SyntaxError, sql) { db.query(sql) }
        assert_equal error.sent?, error.is_a?(Trunkline::SyntaxError) && db.classify(sql) == :unknown, sql
        assert_empty found(db), sql
      end
      assert_equal pid, db.value("SELECT pg_backend_pid()")
    end
  end

  def test_false_alarms_go_through
    with_database do |db|
      pid = db.value("SELECT pg_backend_pid()")
      unknown = NEWER.select { |version, _| version > postgres_server.version }.values
      Sharing::FALSE_ALARMS.each_value.map(&:to_a).flatten.each { |sql| db.query(sql) unless unknown.any? { |pattern| pattern.match?(sql) } }
      assert_empty found(db)
      assert_equal pid, db.value("SELECT pg_backend_pid()")
    end
  end

  def test_every_verb_refuses
    with_database do |db|
      %i[query first value async].each do |verb|
        error = assert_raises(Trunkline::SharedStateError) { db.public_send(verb, "SET x.y = $1", "leaked") }
        assert_match(/\ASET would change settings .*session \{ \}/, error.message)
        assert_raises(Trunkline::SharedStateError) { db.with(keys: :symbol).public_send(verb, "SET x.y = $1", "leaked") }
      end
    end
  end

  def test_a_caller_that_has_a_session_may
    with_database do |db|
      told = Thread::Queue.new
      stranger = later { told.pop && db.query("SET x.y = 'leaked'") }
      db.session do |session|
        db.query("SET x.y = 'mine'")
        assert_equal "mine", session.value("SHOW x.y")
        assert_equal "mine", db.async("SELECT set_config('x.y', 'mine', false)").value.value
        told << true
        assert_raises(Trunkline::SharedStateError) { stranger.value }
      end
      db.transaction { |tx| tx.query("SET LOCAL x.y = 'mine'") && db.query("LOCK TABLE t") }
      assert_raises(Trunkline::SharedStateError) { db.query("SET x.y = 'leaked'") }
      assert_empty found(db)
    end
  end

  def test_a_session_is_one_also_with_defaults_and_in_other_hands
    with_database do |db|
      set = ->(holder) { later { holder.query("SET LOCAL x.y = 'mine'") }.value.notices }
      assert_empty(db.transaction { |tx| set.call(tx) })
      assert_empty(db.with(keys: :symbol).transaction { |tx| set.call(tx) })
      refute_empty(db.with(keys: :symbol).session { |session| set.call(session) })
    end
  end

  def test_copy_is_refused_wherever_it_is_requested
    with_database do |db|
      db.session do |session|
        pid = session.value("SELECT pg_backend_pid()")
        error = assert_raises(Trunkline::SharedStateError) { session.query("COPY t FROM STDIN") }
        assert_equal ["t", false, pid], [error.message[/COPY (t)/, 1], error.sent?, session.value("SELECT pg_backend_pid()")]
      end
    end
  end

  def test_the_class_of_a_statement_is_public
    with_database do |db|
      assert_equal %i[shareable alone setting], (["SELECT 1", "VACUUM", "SET x.y = 1"].map { |sql| db.classify(sql) })
      assert_raises(TypeError) { db.classify(nil) }
    end
  end

  def test_functions_of_the_users_own
    with_database(session_functions: ["leak"]) do |db|
      assert_raises(Trunkline::SharedStateError) { db.query("SELECT public.leak()") }
      assert_equal ["setting x.y"], (db.session { |session| session.query("SELECT leak()") && found(session) })
      assert_empty found(db)
    end
  end

  def test_functions_that_the_client_finds_by_itself
    with_database(session_functions: :detect) do |db|
      refute_predicate refusal { db.query("INSERT INTO t VALUES (leak_zone())") }, :sent?
      assert_equal %i[session shareable alone], (["SELECT leak()", "SELECT lower('A')", "CALL p()"].map { |sql| db.classify(sql) })
      assert_empty found(db)
    end
  end

  # The limit: neither the SQL nor the answer shows it. This is what session_functions are for.
  def test_a_function_can_hide_anything
    with_database do |db|
      db.query("SELECT leak()")
      assert_equal ["setting x.y"], found(db)
    end
  end

  # What no look at the SQL can tell.
  def test_a_function_that_leaves_a_setting_behind
    with_database do |db|
      pid = db.value("SELECT pg_backend_pid()")
      error = assert_raises(Trunkline::SharedStateError) { db.query("INSERT INTO t VALUES (leak_zone())") }
      assert_match(/was executed, and has left session state/, error.message)
      assert_predicate error, :sent?
      assert_equal [[1]], db.query("SELECT id FROM t").rows
      refute_equal pid, db.value("SELECT pg_backend_pid()")
      assert_empty found(db)
      assert_equal 1, (db.session { |session| session.value("SELECT leak_zone()") })
      assert_empty found(db)
    end
  end

  def test_a_statement_that_has_left_something_behind_once_pins_from_then_on
    with_database do |db|
      2.times { |time| assert_equal [time.zero?], [refusal { db.query("SELECT leak_zone()") }.sent?] }
      assert_match(/SELECT, has left session state .* session_functions:/, refusal { db.with(keys: :symbol).value("SELECT leak_zone()") }.message)
      refute_predicate refusal { db.batch { |batch| batch.query("SELECT leak_zone()") } }, :sent?
      assert_equal :session, db.classify("SELECT leak_zone()")
      assert_equal 1, (db.session { |session| session.value("SELECT leak_zone()") })
      assert_empty found(db)
    end
  end

  def test_one_that_was_forgotten_meanwhile_pins_too
    with_database(max_statements: 2) do |db|
      assert_predicate refusal { db.query("SELECT leak_zone()") }, :sent?
      6.times { |number| db.query("SELECT #{number}") }
      refute_predicate refusal { db.query("SELECT leak_zone()") }, :sent?
    end
  end

  # A connection that is open when the server's configuration changes sees the same.
  def test_a_setting_that_new_connections_have_too_is_no_statements_doing
    with_database do |db|
      db.query("SELECT 1")
      psql("ALTER DATABASE #{db.value("SELECT current_database()")} SET TimeZone = 'Asia/Tokyo'")
      assert_predicate refusal { db.query("SELECT leak_zone()") }, :sent?
      assert_equal :shareable, db.classify("SELECT leak_zone()")
      assert_equal 1, db.value("SELECT leak_zone()")
    end
  end

  def refusal(&block) = assert_raises(Trunkline::SharedStateError, &block)

  def test_what_a_function_leaves_in_a_session_ends_with_it
    with_database(max_connections: 2) do |db|
      db.query("SELECT 1") # from now on there is a shared connection, and another one for sessions
      pid = db.session { |session| session.query("SELECT leak()") && session.value("SELECT pg_backend_pid()") }
      assert_equal [pid, []], (db.session { |session| [session.value("SELECT pg_backend_pid()"), found(session)] })
    end
  end

  def test_a_setting_that_a_function_leaves_in_a_transaction_ends_with_it
    with_database(max_connections: 2) do |db|
      db.query("SELECT 1")
      pid = db.transaction { |tx| tx.query("SELECT leak_zone()") && tx.value("SELECT pg_backend_pid()") }
      assert_equal [pid, []], (db.transaction { |tx| [tx.value("SELECT pg_backend_pid()"), found(tx)] })
    end
  end

  def test_those_behind_it_get_the_true_reason
    with_database do |db|
      db.query("SELECT 1")
      leak = db.async("SELECT leak_zone() FROM pg_sleep(0.01)")
      outcomes = (1..50).map { |number| [number, db.async("INSERT INTO t VALUES ($1, current_setting('TimeZone')) RETURNING id", number)] }
      outcomes = outcomes.to_h { |number, future| [number, outcome(future)] }
      assert_equal Trunkline::SharedStateError, outcome(leak)
      assert_empty outcomes.values.uniq - [:done, Trunkline::Indeterminate]
      done = outcomes.select { |_, outcome| outcome == :done }.keys
      assert_equal done, db.query("SELECT id FROM t WHERE id = ANY($1) AND a = 'UTC' ORDER BY id", done).rows.flatten
    end
  end

  def outcome(future)
    future.value
    :done
  rescue Trunkline::Error => error
    error.class
  end

  def test_what_is_no_name_of_a_function
    [["a.b.c"], ["f()"], [""], ["a b"], [1], [nil], ["\xFF"], ["a\0b"], ["\"x"], ["x" * 64], "f", nil].each do |names|
      assert_raises(ArgumentError, names.inspect) { Trunkline.postgres(postgres_server.uri, session_functions: names) }
    end
    Trunkline.postgres(postgres_server.uri, session_functions: ["f", "S.f", "\"S\".\"f g\"", "ü.x$1"]).close
  end
end
