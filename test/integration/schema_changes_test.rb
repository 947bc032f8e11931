# frozen_string_literal: true

require "pg"
require "suites"

# Many fibers read tables that change all the time.
class SchemaChangesTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async
  include Shared::SchemaChanges

  WIDENED = "ALTER TABLE %s ALTER ts TYPE timestamptz USING ts AT TIME ZONE 'UTC', ALTER r TYPE double precision USING 0.1"
  STORING = [
    "UPDATE %s SET r = $1, ts = $2", "INSERT INTO %s AS t VALUES (1, $1, $2) ON CONFLICT (id) DO UPDATE SET r = EXCLUDED.r, ts = EXCLUDED.ts",
    "WITH changed AS (UPDATE %s SET (r, ts) = ($1, $2) RETURNING id) SELECT id FROM changed",
    "MERGE INTO %s t USING (SELECT 1) AS s ON true WHEN MATCHED THEN UPDATE SET r = $1, ts = $2"
  ].freeze
  CHOOSING = [
    "DELETE FROM %s WHERE ts = $1 RETURNING id", "DELETE FROM %s AS t WHERE t.ts IN ($1) RETURNING id", "UPDATE %s SET id = 2 WHERE ts = $1 AND id = 1 RETURNING id",
    "UPDATE %s t SET id = 2 FROM (SELECT 1) AS s WHERE t.ts BETWEEN $1 AND $1 RETURNING id", "WITH gone AS (DELETE FROM %s WHERE ts = $1 RETURNING id) SELECT id FROM gone",
    "INSERT INTO %s AS t VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 2 WHERE t.ts = $1 RETURNING id"
  ].freeze
  COMPARING = [
    "SELECT id FROM %s WHERE ts = $1", "SELECT id AS ts FROM %s t WHERE id > 0 AND (t.ts IN ($1, $1) OR t.ts < $1)", "SELECT count(*) FROM %s t JOIN %s u USING (id) WHERE u.ts BETWEEN $1 AND $1 HAVING count(*) > 0",
    "SELECT id FROM (SELECT * FROM %s) AS s WHERE NOT ts IS DISTINCT FROM $1 FOR UPDATE"
  ].freeze
  # The server invalidates no plan by the second: the pg gem's prepared statements store into what is gone by then.
  OF_FIELDS = ["UPDATE %s SET place.r = $1", "UPDATE %s SET places[1].r = $1", "INSERT INTO %s (place.r) VALUES ($1)"].freeze
  WIDENED_FIELD = "ALTER TYPE %s_place DROP ATTRIBUTE r, ADD ATTRIBUTE r double precision"
  private_constant :WIDENED, :STORING, :CHOOSING, :COMPARING, :OF_FIELDS, :WIDENED_FIELD

  # Every execution prepares its statement where nothing is believed for longer.
  def test_parameters_of_a_table_whose_types_another_program_has_changed
    with_table("ts timestamp, r real") do |table|
      Trunkline.postgres("#{postgres_server.uri}&options=-c%20timezone%3DAsia/Tokyo", connections: 1, max_statement_age: 0) do |db|
        insert = -> { db.query("INSERT INTO #{table} VALUES ($1, $2)", Time.utc(2024, 1, 1), 0.1) }
        found = -> { db.value("SELECT count(*) FROM #{table} WHERE ts = $1 AND r = $2", Time.utc(2024, 1, 1), 0.1) }
        assert_equal [1, 2], Array.new(2) { insert.call && found.call }
        psql(format(WIDENED, table))
        assert_equal 2, found.call
        insert.call
        assert_equal [[Time.utc(2024, 1, 1), 0.1]], db.query("SELECT DISTINCT ts, r FROM #{table}").rows
      end
    end
  end

  # Also of those that are sent while others are in flight.
  def test_a_busy_connection_prepares_each_execution_too
    with_table("r real") do |table|
      in_host_with_client(connections: 1, max_statement_age: 0) do |db|
        insert = "INSERT INTO #{table} VALUES ($1)"
        db.query(insert, 0.1)
        count = "SELECT count(*) FROM #{table} WHERE r = $1"
        assert_equal 1, db.value(count, 0.1)
        slow = db.async("SELECT pg_sleep(0.2)")
        widen(table)
        [slow, *Array.new(3) { db.async(insert, 0.1) }].each(&:value)
        assert_equal [3], Array.new(3) { db.async(count, 0.1) }.map { |future| future.value.value }.uniq
      end
    end
  end

  # PostgreSQL fixes the types of a prepared statement's parameters as it parses it, and casts from them: a client that only prepares stores what
  # was not given.
  def test_nothing_is_stored_by_a_former_type_as_the_pg_gem_does
    with_table("r real, ts timestamp, id int") do |table|
      insert = "INSERT INTO #{table} (r, ts, id) VALUES ($1, $2, $3)"
      with_pg do |pg|
        in_tokyo do |db|
          pg.prepare("insert", insert)
          each = lambda do
            db.query(insert, 0.1, Time.utc(2024, 1, 1), 1)
            pg.exec_prepared("insert", ["0.1", "2024-01-01 00:00:00", "2"])
          end
          each.call
          psql("TRUNCATE #{table}; #{format(WIDENED, table)}")
          each.call
          assert_equal [[0.1, Time.utc(2024, 1, 1)], [0.10000000149011612, Time.utc(2024, 1, 1)]], db.query("SELECT r, ts FROM #{table} ORDER BY id").rows
        end
      end
    end
  end

  # Whatever stores: UPDATE, ON CONFLICT, a WITH; prepared or not; where others are in flight, and where other connections learnt the types.
  def test_nothing_is_stored_by_a_former_type_by_any_statement
    STORING.reject { |sql| sql.start_with?("MERGE") && postgres_server.version < 15 }.each do |sql|
      [true, false].each do |prepare|
        with_table("id int PRIMARY KEY, r real, ts timestamp") do |table|
          psql("INSERT INTO #{table} VALUES (1)")
          in_tokyo(connections: 3) do |db|
            store = -> { db.with(prepare: prepare).async(format(sql, table), 0.1, Time.utc(2024, 1, 1)) }
            store.call.value
            psql(format(WIDENED, table))
            [db.async("SELECT pg_sleep(0.05)"), *Array.new(8) { store.call }].each(&:value)
            assert_equal [[0.1, Time.utc(2024, 1, 1)]], db.query("SELECT r, ts FROM #{table}").rows, "#{sql} prepared: #{prepare}"
          end
        end
      end
    end
  end

  # What one connection has learnt of the types is not declared where the statement is parsed later: on another connection, or for each execution.
  def test_nothing_is_compared_by_a_former_type_where_it_is_parsed_later
    ["SELECT id FROM %s WHERE r = $1", "SELECT id, r FROM %s WHERE r = $1", "SELECT id FROM %s WHERE r IN ($1, NULL)"].product([true, false]).each do |sql, kept|
      with_table("id int, r real") do |table|
        in_host_with_client(connections: 1, max_connections: 2) do |db|
          db = db.with(prepare: kept)
          assert_empty db.query(format(sql, table), 0.1).rows
          widen(table)
          psql("INSERT INTO #{table} VALUES (1, 0.1)")
          answer = kept ? db.session { |session| session.query(format(sql, table), 0.1) } : db.query(format(sql, table), 0.1)
          assert_equal 1, answer.rows.size, sql
        end
      end
    end
  end

  # On the connection that has prepared the statement before.
  def test_nothing_is_compared_by_a_former_type_where_it_was_prepared
    COMPARING.each do |text|
      with_table("id int PRIMARY KEY, r real, ts timestamp") do |table|
        sql = text.gsub("%s", table)
        psql("INSERT INTO #{table} VALUES (1, 0, '2024-01-01')")
        in_tokyo(max_connections: 1) do |db|
          found = ->(from) { from.query(sql, Time.utc(2024, 1, 1)).rows.size }
          assert_equal [1, 1], Array.new(2) { found.call(db) }, sql
          psql(format(WIDENED, table))
          assert_raises(Trunkline::OutdatedStatement) { db.transaction { |tx| found.call(tx) } }.then { |error| assert_predicate error, :retriable? }
          assert_equal [1, 1], [found.call(db), db.transaction { |tx| found.call(tx) }], sql
        end
      end
    end
  end

  # A Time for a date is written with all that it has: a connection that parses the statement later may find a timestamp in its place.
  def test_times_are_stored_whole_where_a_column_was_a_date
    [true, false].each do |kept|
      with_table("day date, days date[], r real") do |table|
        psql("CREATE TYPE #{table}_place AS (day date); ALTER TABLE #{table} ADD place #{table}_place")
        in_host_with_client(connections: 1, max_connections: 2) do |client|
          db = client.with(prepare: kept)
          time = Time.utc(2023, 12, 31, 15, 20)
          insert, fields = "INSERT INTO #{table} (day, days) VALUES ($1, $2)", "INSERT INTO #{table} (place.day) VALUES ($1)"
          [[insert, time, [time]], [fields, time]].each { |call| db.query(*call) }
          assert_equal [Date.new(2023, 12, 31)] * 2, db.query("SELECT day, days[1] FROM #{table} WHERE day IS NOT NULL").rows.first
          psql("TRUNCATE #{table}; ALTER TABLE #{table} ALTER day TYPE timestamptz, ALTER days TYPE timestamptz[] USING NULL; ALTER TYPE #{table}_place DROP ATTRIBUTE day, ADD ATTRIBUTE day timestamptz")
          kept ? db.session { |session| session.query(insert, time, [time]) } : db.query(insert, time, [time])
          db.query(fields, time)
          assert_equal [[time, time, nil], [nil, nil, time]], db.query("SELECT day, days[1], (place).day FROM #{table} ORDER BY 1").rows, "prepared: #{kept}"
        end
        psql("DROP TYPE #{table}_place CASCADE")
      end
    end
  end

  def test_nothing_is_stored_into_a_former_field
    OF_FIELDS.product([true, false]).each do |sql, plans_end|
      with_table("id int") do |table|
        psql("CREATE TYPE #{table}_place AS (r real, n int); ALTER TABLE #{table} ADD place #{table}_place, ADD places #{table}_place[]; INSERT INTO #{table} VALUES (1)")
        in_host_with_client(connections: 1) do |db|
          2.times { db.query(format(sql, table), 0.1) }
          psql(format(WIDENED_FIELD, table))
          psql("ALTER TABLE #{table} ADD other int") if plans_end
          db.query(format(sql, table), 0.1)
          assert_includes db.query("SELECT coalesce((place).r, places[1].r) FROM #{table}").rows, [0.1], "#{sql}, plans end: #{plans_end}"
        end
        psql("DROP TYPE #{table}_place CASCADE")
      end
    end
  end

  # The pg gem's prepared statements change and delete other rows, or none.
  def test_no_row_is_changed_or_deleted_by_a_former_type
    CHOOSING.product([true, false]).each do |sql, prepare|
      with_table("id int PRIMARY KEY, r real, ts timestamp") do |table|
        psql("INSERT INTO #{table} VALUES (1, 0, '2024-01-01')")
        in_tokyo(connections: 2) do |db|
          chosen = ->(time) { db.with(prepare: prepare).async(format(sql, table), time) }
          assert_empty Array.new(2) { chosen.call(Time.utc(2000)).value.rows }.flatten
          psql(format(WIDENED, table))
          slow, *changed = [db.async("SELECT pg_sleep(0.05)"), *Array.new(2) { chosen.call(Time.utc(2024, 1, 1)) }]
          slow.value
          assert_equal 1, changed.map { |future| future.value.rows.size }.max, "#{sql} prepared: #{prepare}"
        end
      end
    end
  end

  # Arrays and Hashes are written as the types say: here it is the client that the former type has refuse them.
  def test_a_value_that_the_former_type_refuses
    { "int[]" => [1, 2], "jsonb" => { "a" => 1 }, "int" => 1 }.each do |type, value|
      with_table("v int") do |table|
        in_host_with_client(connections: 1) do |db|
          compared = "SELECT count(*) FROM #{table} WHERE v = $1"
          assert_equal 0, db.value(compared, 1)
          psql("ALTER TABLE #{table} ALTER v TYPE #{type} USING NULL")
          assert_equal [0, 0], [db.value(compared, value), db.transaction { |tx| tx.value(compared, value) }], type
        end
      end
    end
  end

  def test_a_value_that_its_type_refuses_now_too
    in_host_with_client(connections: 1) do |db|
      db.value("SELECT $1::int", 1)
      2.times { assert_raises(ArgumentError) { db.value("SELECT $1::int", [1]) } }
      db.transaction do |tx|
        assert_raises(Trunkline::DivisionByZero) { tx.query("SELECT 1/0") }
        assert_raises(ArgumentError) { tx.value("SELECT $1::int", [1]) }
        tx.rollback
      end
    end
  end

  # The server finds out as the function runs, which is not repeated.
  def test_a_function_whose_rows_another_program_has_changed
    with_table("a int, b int, c int") do |table|
      psql("INSERT INTO #{table} VALUES (1, 2, 3); CREATE FUNCTION rows_of_#{table}() RETURNS SETOF #{table} LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT * FROM #{table}; END'")
      in_host_with_client(connections: 1) do |db|
        sql = "SELECT * FROM rows_of_#{table}()"
        2.times { assert_equal [[1, 2, 3]], db.query(sql).rows }
        psql("ALTER TABLE #{table} DROP b")
        assert_raises(Trunkline::UndefinedColumn) { db.query(sql) }
        assert_equal [[1, 3]], db.query(sql).rows
      end
      psql("DROP FUNCTION rows_of_#{table}()")
    end
  end

  def test_what_is_cached_for_long_is_not_queried_again
    in_host_with_client(connections: 1, max_statement_age: Float::INFINITY) do |db|
      3.times { db.query("SELECT $1::int", 1) }
      assert_match(/_1\z/, db.value("SELECT name FROM pg_prepared_statements WHERE statement = 'SELECT $1::int'"))
    end
  end

  # A value with another number of fields than the type had tells that it has changed. Else it is looked up again with the statement.
  def test_composite_types_that_another_program_has_changed
    with_table("a int") do |table|
      psql("INSERT INTO #{table} VALUES (1)")
      in_host_with_client(connections: 1) do |db|
        each = -> { [db.value("SELECT t FROM #{table} t"), db.value("SELECT ARRAY[t, t] FROM #{table} t"), db.query("SELECT t, t, '{}'::json FROM #{table} t").rows[0][1]] }
        assert_equal [{ "a" => 1 }, [{ "a" => 1 }] * 2, { "a" => 1 }], each.call
        psql("ALTER TABLE #{table} ADD b int DEFAULT 2")
        both = { "a" => 1, "b" => 2 }
        2.times { assert_equal [both, [both] * 2, both], each.call }
        db.query("ALTER TABLE #{table} RENAME b TO c")
        assert_equal({ "a" => 1, "c" => 2 }, each.call[0])
      end
      in_host_with_client(connections: 1, max_statement_age: 1e-9) do |db|
        names = -> { db.value("SELECT t FROM #{table} t").keys }
        assert_equal [%w[a c], %w[a d]], [names.call, psql("ALTER TABLE #{table} RENAME c TO d") && names.call]
      end
    end
  end

  private

  def widen(table) = psql("TRUNCATE #{table}; ALTER TABLE #{table} ALTER r TYPE double precision")

  def with_pg
    connection = PG.connect(postgres_server.uri)
    yield connection
  ensure
    connection&.close
  end

  # Where a timestamp and a timestamptz of one text are nine hours apart.
  def in_tokyo(connections: 1, **options, &block) = in_host { Trunkline.postgres("#{postgres_server.uri}&options=-c%20timezone%3DAsia/Tokyo", connections: connections, **options, &block) }

  def readers = 200
end
