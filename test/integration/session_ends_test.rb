# frozen_string_literal: true

require "suites"

# What a session leaves in its server session: it is undone, or the connection ends with it.
class SessionEndsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  PID = "SELECT pg_backend_pid()"
  FOR_GOOD = [
    "SELECT setseed(0.5)", "SET seed = 0.5", "SELECT pg_create_physical_replication_slot('session_ends', true, true)", "SELECT pg_backup_start('x', true)",
    "LOAD 'auto_explain'", "SET standard_conforming_strings = off", "DO 'BEGIN PERFORM setseed(0.5); END'"
  ].freeze
  # With what the next caller must not find, on the same connection.
  UNDONE = {
    "PREPARE report AS SELECT 1" => "SELECT count(*) FROM pg_prepared_statements WHERE name = 'report'",
    "DO 'BEGIN PREPARE report AS SELECT 1; END'" => "SELECT count(*) FROM pg_prepared_statements WHERE name = 'report'",
    "SELECT pg_advisory_lock(4712)" => "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4712",
    "SET search_path = pg_catalog" => "SELECT count(*) FROM pg_settings WHERE name = 'search_path' AND source = 'session'",
    "SET app.tenant = 'a'" => "SELECT count(*) WHERE current_setting('app.tenant', true) <> ''",
    "CREATE TEMP TABLE left_over (a int)" => "SELECT count(*) FROM pg_class WHERE relname = 'left_over'",
    "DECLARE left_over CURSOR WITH HOLD FOR SELECT 1" => "SELECT count(*) FROM pg_cursors WHERE name = 'left_over'"
  }.freeze
  private_constant :PID, :FOR_GOOD, :UNDONE

  def test_what_nothing_undoes_ends_with_its_connection
    in_host_with_client(connections: 1, max_connections: 2) do |db|
      FOR_GOOD.each do |sql|
        sql = sql.sub("pg_backup_start('x', true)", "pg_start_backup('x', true, false)") if postgres_server.version < 15
        db.query("SELECT 1")
        pid = db.session { |session| session.query(sql) && session.value(PID) }
        refute_equal [pid], [db.value(PID), db.session { |session| session.value(PID) }].select { |other| other == pid }, sql
        assert eventually { db.value("SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'session_ends'").zero? }, sql # sessions end a moment later
      end
    end
  end

  # In a transaction that fails, too.
  def test_what_is_undone
    in_host_with_client(connections: 1, max_connections: 2) do |db|
      UNDONE.each do |sql, trace|
        db.query("SELECT 1")
        pid = db.session { |session| session.query(sql) && session.value(PID) }
        assert_equal [pid, 0], db.session { |session| [session.value(PID), session.value(trace)] }, sql
        assert_raises(IndexError) { db.session { |session| session.transaction { |tx| tx.query(sql) && tx.value("SELECT 1") && raise(IndexError) } } }
        assert_equal [pid, 0], db.session { |session| [session.value(PID), session.value(trace)] }, sql
      end
    end
  end

  def test_names_that_sessions_prepare_do_not_add_up
    in_host_with_client(connections: 1, max_connections: 2) do |db|
      5.times { db.session { |session| session.query("PREPARE same_name AS SELECT 1") } }
      assert_equal 0, db.session { |session| session.value("SELECT count(*) FROM pg_prepared_statements WHERE from_sql") }
    end
  end

  def test_what_a_trigger_leaves_in_a_copy
    with_table("a int") do |table|
      psql("CREATE FUNCTION leave_#{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('app.left', 'left', false); RETURN NEW; END $$;")
      psql("CREATE TRIGGER leave BEFORE INSERT ON #{table} FOR EACH ROW EXECUTE FUNCTION leave_#{table}()")
      in_host_with_client(connections: 1, max_connections: 2) do |db|
        db.query("SELECT 1")
        db.copy_in("COPY #{table} FROM STDIN") { |copy| copy << [1] }
        copy_in_as_a_host(db, table)
        assert_includes [nil, ""], db.session { |session| session.value("SELECT current_setting('app.left', true)") }
      end
    ensure
      psql("DROP FUNCTION leave_#{table} CASCADE")
    end
  end

  private

  # As adapters do.
  def copy_in_as_a_host(db, table)
    virtual = Trunkline::Postgres::AdapterInterface.of(db).virtual_session("here")
    virtual.together { virtual.copy("COPY #{table} FROM STDIN").write("1\n").finish }
    refute_predicate virtual, :pinned?
    assert_includes [nil, ""], db.session { |session| session.value("SELECT current_setting('app.left', true)") }
  end
end
