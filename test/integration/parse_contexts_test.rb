# frozen_string_literal: true

require "suites"

# Whatever parse analysis reads is part of what a statement is: nothing that was read under one caller's settings is met by another.
class ParseContextsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  TABLES = <<~SQL
    CREATE TABLE at (at timestamptz); INSERT INTO at VALUES ('2023-12-31 20:00+00');
    CREATE TABLE kinds (r real, ts timestamp, k int); CREATE SCHEMA other; CREATE TABLE other.kinds (r float8, ts timestamptz, k text);
    CREATE FUNCTION since() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM at WHERE at >= ''2024-01-01 00:00''); END';
    CREATE FUNCTION move_zone() RETURNS void LANGUAGE plpgsql AS 'BEGIN PERFORM set_config(''TimeZone'', ''Asia/Tokyo'', true); END'
  SQL
  # One row is younger than that in Tokyo, none elsewhere.
  SINCE = "SELECT count(*) FROM at WHERE at >= '2024-01-01 00:00'"
  PLANNED = "SELECT since()"
  INSERT = "INSERT INTO kinds (r, ts) VALUES ($1, $2)"
  NOON = Time.utc(2024, 1, 1, 12)
  TOKYO = { "TimeZone" => "Asia/Tokyo" }.freeze
  # Ways to have another time zone for a statement.
  WAYS = {
    "SET" => ->(db, sql) { db.session { |session| session.query("SET TimeZone = 'Asia/Tokyo'") && session.value(sql) } },
    "SET, asked of the client" => ->(db, sql) { db.session { |session| session.query("SET TIME ZONE 'Asia/Tokyo'") && db.value(sql) } },
    "SET LOCAL" => ->(db, sql) { db.transaction { |tx| tx.query("SET LOCAL TimeZone = 'Asia/Tokyo'") && tx.value(sql) } },
    "set_config" => ->(db, sql) { db.transaction { |tx| tx.query("SELECT set_config($1, 'Asia/Tokyo', true)", "TimeZone") && tx.value(sql) } },
    "a function" => ->(db, sql) { db.transaction { |tx| tx.query("SELECT move_zone()") && tx.value(sql) } },
    "a script" => ->(db, sql) { db.session { |session| session.execute_script("SET TimeZone = 'Asia/Tokyo'; SELECT 1") && session.value(sql) } },
    "a batch" => ->(db, sql) { db.transaction { |tx| tx.batch { |b| b.query("SET LOCAL TimeZone = 'Asia/Tokyo'") && b.query(sql) }.last.value } },
    "an atomic batch" => ->(db, sql) { db.transaction { |tx| tx.batch(atomic: true) { |b| b.query("SET LOCAL TimeZone = 'Asia/Tokyo'") && b.query(sql) }.last.value } },
    "settings of a query" => ->(db, sql) { db.value(sql, settings: TOKYO) },
    "settings of a transaction" => ->(db, sql) { db.with(settings: TOKYO).transaction { |tx| tx.value(sql) } },
    "settings of a transaction, asked of the client" => ->(db, sql) { db.with(settings: TOKYO).transaction { db.value(sql) } },
    "settings within a session" => ->(db, sql) { db.session { |session| session.value(sql, settings: TOKYO) } }
  }.freeze
  private_constant :TABLES, :SINCE, :PLANNED, :INSERT, :NOON, :TOKYO, :WAYS

  def test_constants_are_read_in_each_callers_time_zone
    with_tables do |db|
      WAYS.each do |name, way|
        [SINCE, PLANNED].each { |sql| assert_equal [0, 1, 0, 1, 0], [plain(db, sql), way.call(db, sql), plain(db, sql), way.call(db, sql), plain(db, sql)], "#{name}: #{sql}" }
      end
    end
  end

  # Which comes before any query of its transaction, also where functions' plans are to be dropped.
  BEGINNINGS = [["BEGIN"], ["BEGIN", "SET LOCAL TimeZone = 'UTC'"], ["BEGIN", "SET TRANSACTION READ ONLY"], ["BEGIN", "COMMIT AND CHAIN"]].freeze
  private_constant :BEGINNINGS

  def test_set_transaction_behind_other_settings
    with_tables do |db|
      BEGINNINGS.each do |beginning|
        db.session do |session|
          ["SET TimeZone = 'Asia/Tokyo'", *beginning, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"].each { |sql| session.query(sql) }
          assert_equal ["serializable", beginning.last.include?("UTC") ? 0 : 1], [session.value("SHOW transaction_isolation"), session.value(PLANNED)], beginning
          session.query("ROLLBACK")
        end
      end
    end
  end

  # The end of a transaction, and going back to a savepoint, set settings back.
  def test_constants_behind_the_end_of_what_set_a_time_zone
    with_tables do |db|
      [SINCE, PLANNED].each do |sql|
        db.session do |session|
          session.transaction { |tx| assert_equal 1, tx.query("SET LOCAL TimeZone = 'Asia/Tokyo'") && tx.value(sql) }
          assert_equal 0, session.value(sql)
          session.transaction do |tx|
            tx.transaction { |inner| inner.query("SET LOCAL TimeZone = 'Asia/Tokyo'") && assert_equal(1, inner.value(sql)) && inner.rollback }
            assert_equal 0, tx.value(sql)
          end
        end
      end
    end
  end

  # As a transaction of its own it is over when it is answered; within another one, what follows is read under it.
  def test_a_set_config_of_the_search_path_alone
    local, sql = "SELECT set_config('search_path', 'other', true)", "SELECT count(*) FROM kinds WHERE k = $1"
    with_tables do |db|
      assert_equal ["other", 0, "other"], [db.value(local), db.value(sql, 1), db.batch { |b| b.query(local) && b.query(sql, 1) }.first.value]
      2.times { assert_equal [0, 0], [db.transaction { |tx| tx.query(local) && tx.value(sql, "abc") }, db.value(sql, 1)] }
      db.session { |session| session.batch(atomic: true) { |b| b.query(local) && b.query("SELECT 1") } }
      error = assert_raises(Trunkline::SharedStateError) { db.batch(atomic: true) { |b| b.query(local) && b.query(sql, 1) } }
      assert_equal [false, 0], [error.sent?, db.value(sql, 1)]
    end
  end

  # Values are made for the types of the table that a name stands for here and now.
  def test_parameters_are_made_for_the_table_that_a_name_stands_for
    [false, true].each do |warm|
      with_tables do |db|
        3.times { db.query(INSERT, 0.1, NOON) } if warm
        db.transaction { |tx| tx.query("SET LOCAL search_path = other") && tx.query(INSERT, 0.1, NOON) }
        db.session { |session| session.query("SET search_path = other") && session.query(INSERT, 0.1, NOON) && db.query(INSERT, 0.1, NOON) }
        db.query(INSERT, 0.1, NOON, settings: { "search_path" => "other" })
        db.with(settings: { "search_path" => "other" }).transaction { |tx| tx.query(INSERT, 0.1, NOON) && db.query(INSERT, 0.1, NOON) }
        db.session { |session| session.query("SET search_path = other") && session.batch { |b| b.query(INSERT, 0.1, NOON) } }
        assert_equal [[0.1, NOON]] * 7, db.query("SELECT * FROM other.kinds").rows.map { |r, ts,| [r, ts.utc] }, warm
      end
    end
  end

  def test_parameters_of_other_types_within_a_transaction_while_others_continue
    with_tables do |db|
      sql = "SELECT count(*) FROM kinds WHERE k = $1"
      3.times do
        assert_equal [0, 0], [plain(db, sql, 1), db.transaction { |tx| tx.query("SET LOCAL search_path = other") && tx.value(sql, "abc") }]
      end
    end
  end

  # A temporary table hides another one of its name.
  def test_a_temporary_table_of_the_same_name
    with_tables do |db|
      sql = "SELECT k FROM kinds WHERE k = $1"
      2.times do
        assert_nil db.value(sql, 1)
        assert_equal "a", db.session { |session| session.query("CREATE TEMP TABLE kinds AS SELECT 'a'::text AS k") && session.value(sql, "a") }
      end
    end
  end

  # The index has the rows in the other order than the table.
  FORCED = { "enable_seqscan" => "off", "enable_bitmapscan" => "off" }.freeze
  WAYS_TO_PLAN = {
    "SET LOCAL" => ->(db, sql) { db.transaction { |tx| FORCED.each { |name, value| tx.query("SET LOCAL #{name} = #{value}") } && tx.column(sql) } },
    "SET" => ->(db, sql) { db.session { |session| FORCED.each { |name, value| session.query("SET #{name} = #{value}") } && session.column(sql) } },
    "set_config" => ->(db, sql) { db.transaction { |tx| FORCED.each { |name, value| tx.query("SELECT set_config($1, $2, true)", name, value) } && tx.column(sql) } },
    "settings of a query" => ->(db, sql) { db.column(sql, settings: FORCED) },
    "settings of a transaction" => ->(db, sql) { db.with(settings: FORCED).transaction { |tx| tx.column(sql) } }
  }.freeze
  private_constant :FORCED, :WAYS_TO_PLAN

  # What else the server reads as it parses a statement, or evaluates its constants.
  READ = {
    "DateStyle = 'ISO, DMY'" => "SELECT '01/02/2024'::date::text AS %s", "default_text_search_config = 'pg_catalog.german'" => "SELECT to_tsvector('die Häuser the foxes')::text AS %s",
    "transform_null_equals = on" => "SELECT count(*)::text AS %s FROM (VALUES (NULL::int)) AS v (a) WHERE a = NULL", "xmlbinary = hex" => "SELECT xmlelement(name a, '\\x00ff'::bytea)::text AS %s",
    "xmloption = document" => "SELECT xml_is_well_formed('x')::text AS %s", "bytea_output = escape" => "SELECT '\\x00ff'::bytea::text AS %s", "TimeZone = 'Asia/Tokyo'" => "SELECT '2024-01-01 00:00'::timestamptz::text AS %s",
    "timezone_abbreviations = 'India'" => "SELECT ('2024-01-01 12:00 IST'::timestamptz AT TIME ZONE 'UTC')::text AS %s"
  }.freeze
  private_constant :READ

  # Over one connection, whichever caller is the first.
  def test_whatever_parsing_reads_is_each_callers_own
    in_host_with_client(connections: 1, max_connections: 1) do |db|
      READ.each do |setting, sql|
        usual, set = ["SELECT 1", "SET #{setting}"].map { |before| db.execute_script("#{before}; #{format(sql, "x")}; RESET ALL").fetch(1).rows[0][0] }
        refute_equal usual, set, setting
        in_session = ->(name) { db.session { |session| session.query("SET #{setting}") && session.value(format(sql, name)) } }
        2.times { assert_equal [usual, set, usual], [db.value(format(sql, "a")), in_session.call("a"), db.value(format(sql, "a"))], setting }
        assert_equal [set, usual, set], [in_session.call("b"), db.value(format(sql, "b")), in_session.call("b")], setting
        next if setting.start_with?("DateStyle", "bytea_output") # which no query may have for itself

        assert_equal [usual, set], [db.value(format(sql, "c")), db.query(format(sql, "c"), settings: { setting[/\w+/] => setting[/= '?([^']*)/, 1] }).value], setting
      end
    end
  end

  # A plan is made by the settings of the caller that it is made for, and is no other caller's.
  def test_each_callers_plans
    with_table("n int PRIMARY KEY") do |table|
      psql("INSERT INTO #{table} VALUES (3), (2), (1); ANALYZE #{table}")
      in_host_with_client(connections: 1, max_connections: 1) do |db|
        WAYS_TO_PLAN.to_a.product([true, false]).each do |(name, way), planned_before|
          sql = "SELECT n FROM #{table} WHERE n > 0 -- #{name} #{planned_before}"
          db.column(sql) if planned_before
          assert_equal [[1, 2, 3], [3, 2, 1], [1, 2, 3], [3, 2, 1]], Array.new(2) { [way.call(db, sql), db.column(sql)] }.flatten(1), "#{name} #{planned_before}"
        end
      end
    end
  end

  # Where no caller sets anything, nothing is prepared twice, and no plan is dropped.
  def test_what_costs_nothing
    with_tables do |db|
      work = lambda do
        db.session { |session| session.query("SET app.tenant = '7'") && session.query("SELECT set_config('app.tenant', '8', false)") && session.value(SINCE) }
        db.transaction { |tx| tx.query("SET LOCAL statement_timeout = '1min'") && tx.value(SINCE) }
        db.with(role: "postgres").transaction { |tx| tx.value(SINCE) }
        plain(db, SINCE)
      end
      names = Array.new(3) { work.call && prepared(db).filter_map { |name, sql| name if sql == SINCE }.sort }
      assert_equal [2, 1], [names.first.size, names.uniq.size]
    end
  end

  def test_a_value_in_a_batch_behind_what_may_change_its_type
    with_tables do |db|
      db.query(INSERT, 0.1, NOON)
      db.session do |session|
        error = assert_raises(Trunkline::SharedStateError) { session.batch { |b| b.query("SET search_path = other") && b.query(INSERT, 0.1, NOON) } }
        assert_equal [false, 0], [error.sent?, session.value("SELECT count(*) FROM other.kinds")]
      end
    end
  end

  # A name that is registered may stand for a type of another schema here, which is not the one for others.
  def test_a_registered_type_in_another_schema
    with_tables do |db|
      db.execute_script("CREATE TYPE mood AS ENUM ('sad'); CREATE TYPE other.mood AS ENUM ('glad')")
      db.types.register("mood", &:to_sym)
      assert_equal [:glad, "sad"], db.transaction { |tx| tx.query("SET LOCAL search_path = other") && tx.query("SELECT 'glad'::mood, 'sad'::public.mood").rows[0] }
      assert_equal [:sad, "glad"], plain(db, "SELECT ARRAY['sad'::mood::text, 'glad'::other.mood::text]") && db.query("SELECT 'sad'::mood, 'glad'::other.mood").rows[0]
    end
  end

  private

  def plain(db, sql, *parameters) = Thread.new { db.value(sql, *parameters) }.value

  # On the connection that sessions and transactions have.
  def prepared(db) = db.session { db.query("SELECT name, statement FROM pg_prepared_statements").rows }

  def with_tables
    name = "parse_contexts_#{SecureRandom.hex(6)}"
    psql("CREATE DATABASE #{name}")
    postgres_server.psql(TABLES, dbname: name)
    in_host { Trunkline.postgres("#{postgres_server.uri(dbname: name)}&options=-c%20timezone%3DUTC", connections: 1, max_connections: 2) { |db| warm(db) && yield(db) } }
  ensure
    drop_database(name)
  end

  # Both connections have been shared: what one caller leaves, others meet.
  def warm(db)
    db.session { |session| session.query("SELECT 1") && Thread.new { db.query("SELECT 1") }.join }
  end
end
