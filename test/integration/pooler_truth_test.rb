# frozen_string_literal: true

require "suites"
require "support/pgbouncer"
require_relative "../../bench/support/pooler_truth"

# What is asked of a server session behind a pooler that gives each transaction another one: it is right, or it is an error. With a pooler in
# front of two server sessions, other clients are at work all the time, so that a session meets another one each time.
class PoolerTruthTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  # What needs a server session that stays, and how each of these goes wrong in silence.
  NEEDY = [
    "SET app.leak = 'mine'", "SET SESSION app.leak = 'mine'", "SET SESSION AUTHORIZATION postgres", "SET ROLE postgres", "SET search_path = pg_temp",
    "SELECT set_config('app.leak', 'mine', false)", "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "LISTEN jobs",
    "CREATE TEMP TABLE x (i int)", "CREATE TEMPORARY TABLE x AS SELECT 1 AS i", "CREATE TABLE pg_temp.x (i int)", "SELECT 1 AS i INTO TEMP x", "CREATE TEMP VIEW v AS SELECT 1",
    "SELECT pg_advisory_lock(7)", "SELECT pg_try_advisory_lock(7)", "SELECT pg_advisory_lock_shared(7)", "SELECT pg_advisory_unlock(7)",
    "DECLARE c CURSOR WITH HOLD FOR SELECT 1", "PREPARE p AS SELECT 1", "EXECUTE p", "LOAD 'auto_explain'", "SELECT setseed(0.5)",
    "UPDATE pg_settings SET setting = '1MB' WHERE name = 'work_mem'",
    "/* a */ SET app.leak = 'mine'", "/* a /* b */ c */ CREATE TEMP TABLE x (i int)", "-- a\nLISTEN jobs", "DECLARE c CURSOR WITH /* a */ HOLD FOR SELECT 1",
    "/* a */ SELECT 1 AS i INTO /* b */ TEMP x", "SET /* LOCAL */ app.leak = 'mine'"
  ].freeze
  # What the end of a transaction ends, and works behind a pooler.
  IN_TRANSACTION = [
    "SET LOCAL app.leak = 'mine'", "SELECT set_config('app.leak', 'mine', true)", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "SET CONSTRAINTS ALL DEFERRED", "CREATE TEMP TABLE x (i int) ON COMMIT DROP", "SELECT pg_advisory_xact_lock(7)", "SELECT pg_try_advisory_xact_lock(7)",
    "DECLARE c CURSOR FOR SELECT 1", "SAVEPOINT s", "LOCK TABLE pg_class IN ACCESS SHARE MODE", "DO $$ BEGIN PERFORM 1; END $$", "NOTIFY jobs"
  ].freeze
  # What a pooler sets for each client, wherever it goes on; and what leaves nothing.
  TRACKED = ["SET TIME ZONE 'UTC'", "SET timezone = 'UTC'", "SET application_name = 'x'", "RESET ALL", "UNLISTEN *", "DEALLOCATE ALL",
             "SHOW server_version", "DO $$ BEGIN PERFORM 1; END $$"].freeze
  SCRIPTS = { "SET app.leak = 'mine'; SELECT 1" => true, "SELECT 1; CREATE TEMP TABLE x (i int)" => true, "LISTEN jobs; SELECT 1" => true,
              "SELECT 1; SELECT pg_advisory_lock(7)" => true, "SELECT ';SET app.leak = 1'; SELECT 1" => false, "SELECT 1 /* ; LISTEN jobs */; SELECT 2" => false,
              "BEGIN; SET LOCAL app.leak = 'mine'; COMMIT" => false, "CREATE TEMP TABLE x (i int); INSERT INTO x VALUES (1); DROP TABLE x" => false,
              "DO $$ BEGIN IF false THEN NULL; LISTEN jobs; END IF; END $$; SELECT 1" => false, "SET timezone = 'UTC'; SELECT 1" => false }.freeze
  private_constant :NEEDY, :IN_TRANSACTION, :TRACKED, :SCRIPTS

  # The table of bin/bench pooled: directly all is right, and behind the pooler what needs a session is refused.
  def test_the_table
    truth = Trunkline::Bench::PoolerTruth
    assert_equal [truth::RIGHT], truth.of(postgres_server, postgres_server.uri).values.uniq
    found = PgBouncer.open(postgres_server, pool: 3, kept: 200, clients: 400) { |pooler| truth.of(postgres_server, pooler.uri) }
    assert_equal truth::ROWS.keys.to_h { |row| [row, truth::OF_SESSIONS.include?(row) ? "SharedStateError" : truth::RIGHT] }, found
  end

  def test_what_needs_a_session_is_refused
    pooled do |db|
      NEEDY.each do |sql|
        error = assert_raises(Trunkline::SharedStateError, sql) { db.session { |session| session.query(sql) } }
        assert_match(/the pooler in between.*session_url:.*pooler: :session/, error.message, sql)
        assert_raises(Trunkline::SharedStateError, sql) { db.session { |session| 2.times { session.value("SELECT 1") } && session.query(sql) } }
        assert_raises(Trunkline::SharedStateError, sql) { db.transaction { |transaction| transaction.query(sql) } }
      end
      assert_nothing_remains
    end
  end

  def test_what_a_transaction_ends_passes_within_one
    pooled do |db|
      IN_TRANSACTION.each { |sql| db.transaction { |transaction| assert_kind_of Trunkline::Postgres::Result, transaction.query(sql), sql } }
      db.transaction do |transaction|
        transaction.query("CREATE TEMP TABLE x (i int) ON COMMIT DROP")
        transaction.query("INSERT INTO x VALUES (1)")
        assert_equal 1, transaction.value("SELECT count(*) FROM pg_temp.x")
      end
      TRACKED.each { |sql| db.session { |session| assert_kind_of Trunkline::Postgres::Result, session.query(sql), sql } }
      assert_nothing_remains
    end
  end

  def test_scripts
    pooled do |db|
      SCRIPTS.each do |sql, refused|
        refused ? assert_raises(Trunkline::SharedStateError, sql) { db.execute_script(sql) } : db.execute_script(sql)
      end
      assert_nothing_remains
    end
  end

  def test_listen_is_refused
    pooled do |db|
      error = assert_raises(Trunkline::SharedStateError) { db.listen("jobs") }
      assert_match(/LISTEN.*session_url:/, error.message)
      assert_equal 1, db.value("SELECT 1")
    end
  end

  # A client's very first question may be one that needs a session.
  def test_before_there_was_a_connection
    pooler do |pooler|
      [->(db) { db.session { |session| session.query("SET app.leak = 'mine'") } }, ->(db) { db.execute_script("SET app.leak = 'mine'; SELECT 1") },
       ->(db) { db.transaction { |transaction| transaction.query("CREATE TEMP TABLE x (i int)") } }].each do |needy|
        [1, 4].each { |most| Trunkline.postgres(pooler.uri, max_connections: most) { |db| assert_raises(Trunkline::SharedStateError) { needy.call(db) } } }
      end
      assert_nothing_remains
    end
  end

  # The address of the server itself has what needs a session, and that alone.
  def test_session_url
    pooled(session_url: postgres_server.uri) do |db|
      seen = db.session do |session|
        session.query("SET app.leak = 'mine'")
        session.query("CREATE TEMP TABLE x (i int)")
        Array.new(20) { session.query("INSERT INTO x VALUES (1)") && session.value("SELECT current_setting('app.leak')") }
      end
      assert_equal ["mine"] * 20, seen
      assert_equal [[true], [false]], taken_at_once(db).sort_by { |got| got ? 0 : 1 }.map { |got| [got] }
      assert_equal [nil], Array.new(10) { db.value("SELECT current_setting('app.leak', true)") }.uniq.map { |value| value unless value == "" }
      assert_equal %w[a b], heard(db)
      assert_equal 2, db.execute_script("SET app.leak = 'x'; SELECT 2").last.value
      error = assert_raises(Trunkline::SharedStateError) { db.transaction { |transaction| transaction.query("SET app.leak = 'x'") } }
      assert_match(/begin the transaction within session \{ \}/, error.message)
      assert_equal "in one", db.session { |session| session.transaction { |tx| tx.query("SET app.leak = 'in one'") && tx.value("SELECT current_setting('app.leak')") } }
    end
    assert_nothing_remains
  end

  def test_session_url_that_leads_to_a_pooler
    pooler do |pooler|
      Trunkline.postgres(pooler.uri, session_url: pooler.uri) do |db|
        [-> { db.session { |session| session.query("SET app.leak = 'x'") } }, -> { db.listen("jobs") }].each do |needy|
          assert_match(/session_url: leads to a pooler, too/, assert_raises(Trunkline::SharedStateError, &needy).message)
        end
      end
    end
  end

  def test_a_pooler_that_keeps_sessions_is_to_be_declared
    PgBouncer.open(postgres_server, pool: 8, mode: "session") do |pooler|
      in_host do
        Trunkline.postgres(pooler.uri) { |db| assert_raises(Trunkline::SharedStateError) { db.session { |session| session.query("SET app.leak = 'x'") } } }
        Trunkline.postgres("#{pooler.uri}?pooler=session") do |db|
          assert_equal "x", db.session { |session| session.query("SET app.leak = 'x'") && session.value("SELECT current_setting('app.leak')") }
          assert_equal %w[a b], heard(db)
        end
      end
    end
  end

  def test_without_a_pooler_nothing_is_refused
    with_client { |db| (NEEDY - ["EXECUTE p", "SET SESSION AUTHORIZATION postgres"]).each { |sql| db.session { |session| session.query(sql) } } }
  end

  def test_options_that_cannot_be
    assert_match(/pooler must be session or transaction/, assert_raises(Trunkline::ConfigError) { Trunkline.postgres(pooler: "none") }.message)
    config = Trunkline::Config.new("postgres://ann:secret@a/app", session_url: "postgres://b:7777/direct")
    assert_equal ["ann", "secret", "direct", 7777, "b"], [config.direct.user, config.direct.password, config.direct.dbname, config.direct.port, config.direct.host]
    refute_match(/b:7777/, config.inspect)
  end

  # Each version as it is: one that can keep statements is told to, and is told not to. Which of these it is costs one question for each host.
  def test_statements_are_prepared_where_they_stay
    [false, *(true if PgBouncer.keeps_statements?)].each do |keeps|
      PgBouncer.open(postgres_server, pool: 2, kept: keeps ? 100 : 0) do |pooler|
        in_host do
          Trunkline.postgres(pooler.uri, connections: 3) do |db|
            40.times.map { |number| db.async("SELECT $1::int, name FROM pg_prepared_statements", number) }.map(&:value)
            names = db.column("SELECT name FROM pg_prepared_statements")
            assert_equal [keeps, true], [names.grep(/PGBOUNCER/).any?, names.grep_v(/PGBOUNCER/).empty?], names.inspect
            assert_equal (1..60).to_a, side_by_side(1..60) { |number| db.value("SELECT $1::int", number) }
          end
        end
      end
    end
  end

  private

  def pooler(&block) = PgBouncer.open(postgres_server, pool: 2) { |pooler| in_host { block.call(pooler) } }

  def pooled(**options)
    pooler do |pooler|
      Trunkline.postgres(pooler.uri, max_connections: 4, **options) { |db| beside_others(pooler) { yield db } }
    end
  end

  # Others that ask all the time, so that server sessions are given to and fro.
  def beside_others(pooler)
    Trunkline.postgres(pooler.uri, connections: 2) do |others|
      asking = true
      thread = Thread.new { others.value("SELECT pg_sleep(0.001)") while asking }
      yield
    ensure
      asking = false
      thread.join
    end
  end

  def taken_at_once(db)
    db.session do |one|
      Trunkline.postgres(postgres_server.uri) do |other|
        [one.value("SELECT pg_try_advisory_lock(7)"), other.session { |session| session.value("SELECT pg_try_advisory_lock(7)") }]
      end
    end
  end

  def heard(db)
    subscription = db.listen("jobs")
    %w[a b].each { |payload| db.notify("jobs", payload) }
    Array.new(2) { subscription.wait(5).payload }
  ensure
    subscription&.close
  end

  # Neither for others of the pooler, nor on the server.
  def assert_nothing_remains
    assert_equal ["0"], psql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
    assert_equal ["0"], psql("SELECT count(*) FROM pg_class WHERE relname = 'x'")
  end
end
