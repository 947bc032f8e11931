# frozen_string_literal: true

require "pg"
require "suites"
require "support/pgbouncer"

# Behind PgBouncer in transaction mode, which gives each transaction whatever server session is free.
class PgBouncerTest < Trunkline::TestCase
  include DatabaseHelpers
  include Gated
  include Hosts::Async
  include Leeway

  # @yieldparam pooler [PgBouncer] with fewer server sessions than clients have connections
  def pooled(server = postgres_server, **options)
    PgBouncer.open(server, pool: 2, **options) { |pooler| in_host { yield pooler } }
  end

  def test_without_prepared_statements
    with_table("id int PRIMARY KEY, t text, at timestamptz") do |table|
      pooled do |pooler|
        Trunkline.postgres(pooler.uri, connections: 4, prepare: false) do |db|
          at = Time.utc(2024, 2, 29, 12)
          side_by_side(1..60) { |id| db.query("INSERT INTO #{table} VALUES ($1, $2, $3)", id, "ü#{id}", at) }
          rows = side_by_side(1..60) { |id| db.query("SELECT id, t, at FROM #{table} WHERE id = $1", id).rows[0] }
          assert_equal (1..60).map { |id| [id, "ü#{id}", at] }, rows
          assert_raises(Trunkline::UniqueViolation) { db.query("INSERT INTO #{table} VALUES (1)") }
          assert_equal (1..20).to_a, (1..20).map { |id| db.async("SELECT $1::int", id) }.map { |future| future.value.value }
        end
      end
    end
  end

  def test_transactions
    with_table("id int") do |table|
      pooled do |pooler|
        Trunkline.postgres(pooler.uri, connections: 2, max_connections: 6, prepare: false) do |db|
          side_by_side(1..20) do |id|
            db.transaction do |tx|
              tx.query("INSERT INTO #{table} VALUES ($1)", id)
              raise Trunkline::Rollback if id.odd?

              assert_equal 1, tx.value("SELECT count(*) FROM #{table} WHERE id = $1", id)
            end
          end
          assert_equal 10, db.value("SELECT count(*) FROM #{table}")
        end
      end
    end
  end

  # PgBouncer from 1.21 on prepares what its client has prepared anew in each session of the server, whatever its tables are like by then.
  def test_a_session_that_has_prepared_a_statement_later_than_the_client
    with_table("id int, v text, w int") do |table|
      psql("INSERT INTO #{table} VALUES (1, '10', 65)")
      pooled(kept: 100) do |pooler|
        Trunkline.postgres(pooler.uri, connections: 1) do |db|
          sql, insert = "SELECT v, w FROM #{table} WHERE id = $1", "INSERT INTO #{table} (id, w) VALUES (2, $1) RETURNING w"
          2.times { assert_equal [["10", 65], 66], [db.query(sql, 1).rows.first, db.value(insert, 66)] }
          elsewhere(pooler, db.with(prepare: false).value("SELECT pg_backend_pid()")) do
            psql("ALTER TABLE #{table} ALTER v TYPE int USING v::int, ALTER w TYPE real")
            2.times { assert_equal [[10, 65.0], 67.0], [db.query(sql, 1).rows.first, db.value(insert, 67)] }
          end
          3.times { assert_equal [[10, 65.0], 68.0], [db.query(sql, 1).rows.first, db.value(insert, 68)] }
        end
      end
    end
  end

  # What PgBouncer has prepared before for another client, it keeps for the next one.
  def test_nothing_is_stored_by_a_former_type_that_the_pooler_has_prepared
    with_table("r real, day date") do |table|
      PgBouncer.open(postgres_server, pool: 1, kept: 100) do |pooler|
        in_host do
          insert = ->(db) { db.query("INSERT INTO #{table} VALUES ($1, $2)", 0.1, Time.new(2024, 1, 1, 3, 0, 0, "+09:00")) }
          several = ->(db) { db.insert(table, [{ r: 0.1, day: Date.new(2024) }] * 2) }
          Trunkline.postgres(pooler.uri, connections: 1) do |earlier|
            2.times { insert.call(earlier) && several.call(earlier) }
            psql("TRUNCATE #{table}; ALTER TABLE #{table} ALTER r TYPE double precision, ALTER day TYPE timestamp")
            Trunkline.postgres(pooler.uri, connections: 1) do |later|
              [later, earlier].each { |db| 2.times { insert.call(db) && several.call(db) } }
              expected = [[0.1, Time.utc(2023, 12, 31, 18)]] + ([[0.1, Time.utc(2024)]] * 2)
              assert_equal (expected * 4).sort, later.query("SELECT * FROM #{table} ORDER BY 1, 2").rows
            end
          end
        end
      end
    end
  end

  # Each session of the server comes to know statements of several clients: none may be taken for another.
  def test_with_prepared_statements_every_answer_is_still_its_own
    pooled do |pooler|
      clients = Array.new(3) { Trunkline.postgres(pooler.uri, connections: 2) }
      answers = side_by_side(0...30) do |caller|
        Array.new(20) { |number| clients[caller % 3].value("SELECT '#{caller % 5}-' || $1::text", number.to_s) }
      end
      assert_equal (0...30).map { |caller| Array.new(20) { |number| "#{caller % 5}-#{number}" } }, answers
    ensure
      clients&.each(&:close)
    end
  end

  # The pooler gives its own key, and passes the cancel on to whatever server session works for this connection.
  def test_cancels
    pooled do |pooler|
      Trunkline.postgres(pooler.uri, connections: 2, prepare: false) do |db|
        5.times do
          future = db.async("SELECT pg_sleep(1000) /* through a pooler */")
          behind = Array.new(5) { |number| db.async("SELECT $1::int", number) }
          assert future.cancel
          assert_raises(Trunkline::Cancelled) { future.value }
          assert_equal (0..4).to_a, behind.map { |one| one.value.value }
        end
        assert_no_query_sleeps
      end
    end
  end

  # Without prepared statements no limit goes with them: the client ends what is late.
  def test_deadlines
    pooled do |pooler|
      Trunkline.postgres(pooler.uri, connections: 2, prepare: false) do |db|
        with_much_leeway do
          side_by_side(1..5) { assert_raises(Trunkline::Deadline) { db.query("SELECT pg_sleep(1000) /* through a pooler */", deadline: 0.2) } }
          30.times { db.query("SELECT pg_sleep($1) /* through a pooler */", 0) }
          late_after_sending { db.query("SELECT pg_sleep($1) /* through a pooler */", 1000, deadline: 0.2) }
        end
        assert_equal ["0"], side_by_side(1..10) { db.value("SHOW statement_timeout") }.uniq
        assert_equal (1..20).to_a, side_by_side(1..20) { |number| db.value("SELECT $1::int", number, deadline: 60) }
        assert_no_query_sleeps
      end
    end
  end

  def test_values_are_what_they_are_without_a_pooler
    sql = "SELECT 0.1::float8 + 0.2::float8, 1.1::float4, '1 day 02:03'::interval, '{0.3,1e300}'::float8[], now()::date"
    direct = with_client { |db| db.query(sql).rows }
    pooled do |pooler|
      [false, true].each { |prepare| Trunkline.postgres(pooler.uri, prepare: prepare) { |db| 2.times { assert_equal direct, db.query(sql).rows } } }
    end
  end

  # Settings that it does not know it does not pass on: what the server does without them is looked at.
  def test_a_server_that_would_shorten_floats
    with_server(settings: { "extra_float_digits" => "0" }) do |server|
      pooled(server) do |pooler|
        error = assert_raises(Trunkline::ConnectionError) { Trunkline.postgres(pooler.uri, prepare: false) { |db| db.value("SELECT 1") } }
        assert_match(/extra_float_digits.*ALTER ROLE/, error.message)
        refute_predicate error, :retriable?
      end
    end
  end

  # Idle connections that end with the pooler cost no caller an error.
  def test_a_pooler_that_is_started_again
    pooled do |pooler|
      Trunkline.postgres(pooler.uri, connections: 2, prepare: false) do |db|
        assert_equal (1..20).to_a, side_by_side(1..20) { |number| db.value("SELECT $1::int", number) }
        Thread.new { pooler.restart }.join
        assert_equal (1..20).to_a, side_by_side(1..20) { |number| db.value("SELECT $1::int", number) }
      end
    end
  end

  private

  def assert_no_query_sleeps
    assert eventually { psql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%through a pooler%'").empty? }
  end

  private

  # Runs the block while another client has the session with this process.
  def elsewhere(pooler, process)
    held = []
    held << in_transaction(pooler) until held.last&.last == process
    held[0...-1].each { |pg,| pg.close }
    yield
  ensure
    held.each { |pg,| pg.close unless pg.finished? }
  end

  def in_transaction(pooler)
    pg = PG.connect(pooler.uri)
    pg.exec("BEGIN")
    [pg, Integer(pg.exec("SELECT pg_backend_pid()").getvalue(0, 0))]
  end
end
