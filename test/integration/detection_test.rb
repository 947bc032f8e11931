# frozen_string_literal: true

require "suites"
require "support/sharing/keepers"

# session_functions: :detect, with a server as the oracle: what changes its session there is told before it is sent.
class DetectionTest < Trunkline::TestCase
  include DatabaseHelpers

  PROBE = "SELECT coalesce(current_setting('x.y', true), '') <> '' OR current_setting('work_mem') = '77kB'"
  private_constant :PROBE

  def test_what_changes_its_session_unseen_pins
    with_database do |db|
      statements = here(Sharing::Keepers::KEEPING)
      assert_equal [], statements.reject { |sql| changes?(db, sql) }
      assert_equal [], statements.select { |sql| %i[shareable alone].include?(db.classify(sql)) }
      psql_there("CREATE ROLE #{@name} NOSUPERUSER; GRANT ALL ON guarded TO #{@name}")
      assert(db.session { |session| session.query("SET ROLE #{@name}") && session.query(Sharing::Keepers::GUARDED) && session.value(PROBE) })
      assert_equal :session, db.classify(Sharing::Keepers::GUARDED)
    end
  end

  def test_what_only_reads_or_names_such_objects_shares
    with_database do |db|
      assert_equal [], (Sharing::Keepers::HARMLESS - ["COPY audited TO '/dev/null'"]).reject { |sql| %i[shareable alone].include?(db.classify(sql)) }
      assert_equal [], Sharing::Keepers::HARMLESS.select { |sql| changes?(db, sql) }
    end
  end

  # What is shareable needs no reset, and a write that runs a trigger has one.
  def test_a_transaction_is_reset_where_a_trigger_may_have_kept_something
    with_database(connections: 1, max_connections: 2) do |db|
      db.query("SELECT 1")
      kept, pid = db.transaction { |tx| tx.query("INSERT INTO audited VALUES (9, 'x')") && [tx.value(PROBE), tx.value("SELECT pg_backend_pid()")] }
      assert kept
      assert_equal [false, pid], (db.transaction { |tx| [tx.value(PROBE), tx.value("SELECT pg_backend_pid()")] })
      statements = statements_of(db) { |tx| tx.query("SELECT * FROM audited") && tx.query("INSERT INTO plain VALUES (10)") }
      assert_empty statements.grep(/RESET|DISCARD/)
      refute_empty statements_of(db) { |tx| tx.query("INSERT INTO audited VALUES (11, 'x')") }.grep(/RESET|DISCARD/)
    end
  end

  def test_what_this_client_defines_counts_at_once
    with_database do |db|
      assert_equal :shareable, db.classify("SELECT later()")
      db.query("CREATE TABLE seen (a int)")
      assert_equal 0, db.query("SELECT * FROM seen").size
      db.query("CREATE FUNCTION later() RETURNS int LANGUAGE sql AS 'SELECT keep()'")
      assert_raises(Trunkline::SharedStateError) { db.query("SELECT later()") }
      db.execute_script("CREATE VIEW later_still AS SELECT later()")
      assert_raises(Trunkline::SharedStateError) { db.async("TABLE later_still") }
      db.transaction { |tx| tx.query("CREATE TRIGGER audit BEFORE INSERT ON seen FOR EACH ROW EXECUTE FUNCTION keeps_too()") }
      assert_equal 0, db.query("SELECT * FROM seen").size
      assert_raises(Trunkline::SharedStateError) { db.query("INSERT INTO seen VALUES (1)") }
    end
  end

  def test_what_others_define_counts_when_statements_are_prepared_anew
    with_database(max_statement_age: 0.000_001) do |db|
      assert_equal 2, db.value("SELECT count(*) FROM parent")
      psql_there("CREATE TRIGGER audit BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION keeps_too()")
      assert_raises(Trunkline::SharedStateError) { db.query("INSERT INTO plain VALUES (7)") }
      assert_equal 2, db.value("SELECT count(*) FROM parent")
      psql_there("DROP TRIGGER audit ON plain")
      assert_equal 1, db.query("INSERT INTO plain VALUES (7)").affected_rows
    end
  end

  def test_what_nothing_undoes_costs_its_connection
    with_database(connections: 1, max_connections: 2) do |db|
      psql_there("CREATE FUNCTION seeds() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM setseed(0.5); RETURN NEW; END $$; " \
                 "CREATE TRIGGER seed BEFORE INSERT ON child FOR EACH ROW EXECUTE FUNCTION seeds()")
      pid = db.transaction { |tx| tx.query("INSERT INTO child VALUES (1)") && tx.value("SELECT pg_backend_pid()") }
      refute_includes [db.value("SELECT pg_backend_pid()"), db.session { |session| session.value("SELECT pg_backend_pid()") }], pid
    end
  end

  def test_an_event_trigger_has_commands_pin
    with_database do |db|
      psql_there("CREATE FUNCTION notes() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM keep(); END $$; " \
                 "CREATE EVENT TRIGGER note ON ddl_command_end EXECUTE FUNCTION notes(); " \
                 "CREATE FUNCTION makes() RETURNS void LANGUAGE plpgsql AS $$ BEGIN CREATE TABLE made_there (a int); END $$")
      classes = ["CREATE TABLE a (b int)", "DROP TABLE checked", "SELECT 1 AS a INTO b", "SELECT makes()", "INSERT INTO plain VALUES (1)"].map { |sql| db.classify(sql) }
      assert_equal %i[session session session session shareable], classes
      assert(changes?(db, "SELECT makes()") && changes?(db, "SELECT 1 AS a INTO b"))
    end
  end

  def test_a_database_without_such_functions_is_searched_twice_and_no_more
    name = "bare_#{SecureRandom.hex(6)}"
    psql("CREATE DATABASE #{name}")
    Trunkline.postgres(postgres_server.uri(dbname: name), session_functions: :detect) do |db|
      assert_equal :shareable, db.classify("INSERT INTO anything VALUES (1)")
      assert_equal 1, db.value("SELECT 1")
      assert_equal 4, db.stats[:requests]
    end
  ensure
    drop_database(name)
  end

  private

  def with_database(**options)
    @name = "detection_#{SecureRandom.hex(6)}"
    psql("CREATE DATABASE #{@name}")
    psql_there(Sharing::Keepers::SETUP)
    Trunkline.postgres(postgres_server.uri(dbname: @name), session_functions: :detect, **options) { |db| yield db }
  ensure
    drop_database(@name)
    psql("DROP ROLE IF EXISTS #{@name}")
  end

  # Beside the client.
  def psql_there(sql) = Trunkline.postgres(postgres_server.uri(dbname: @name), connections: 1) { |db| db.execute_script(sql) }

  # MERGE came with PostgreSQL 15.
  def here(statements) = postgres_server.version >= 15 ? statements : statements.grep_v(/\AMERGE/)

  # Undone afterwards, but for its session's state.
  def changes?(db, sql)
    db.session do |session|
      next session.query(sql) && session.value(PROBE) if sql.start_with?("CALL", "COPY")

      session.query("BEGIN")
      session.query(sql)
      changed = session.value(PROBE)
      session.query("ROLLBACK")
      changed
    end
  end

  # @return [Array<String>] scripts that were sent in the transaction and at its end: what resets the session is one
  def statements_of(db)
    sent = []
    db.transaction do |tx|
      tx.instance_variable_get(:@level).session.lease.singleton_class.prepend(Module.new { define_method(:transmit) { |request| sent.push(*request.script) && super(request) } })
      yield tx
    end
    sent
  end
end
