# frozen_string_literal: true

require "test_helper"
require "support/replica_servers"

module Trunkline
  # Reads that come after a write of the same user, or that are not older than so many seconds.
  class PositionsTest < TestCase
    include ReplicaServers

    def test_a_position_fits_a_cookie
      with_replicas do |db, primary|
        token = db.position
        assert_match(/\A[0-9a-z.]{1,40}\z/, token)
        position = Postgres.const_get(:Position).parse(token)
        assert_equal primary.psql("SELECT system_identifier FROM pg_control_system()").to_i, position.system
        assert_equal 1, position.timeline
        assert_operator primary.psql("SELECT pg_current_wal_insert_lsn() - '0/0'").to_i, :>=, position.lsn
        assert_equal token, position.to_s
        error = assert_raises(SharedStateError) { db.transaction { db.position } }
        assert_match(/after the transaction/, error.message)
        assert_operator db.session { db.position }, :>=, token
      end
    end

    # Nothing is replayed until the standby is resumed, so what is read there is stale for certain.
    def test_a_read_after_a_position_sees_the_write
      with_table do |db, primary, standbys|
        before = db.position
        standbys.each { |standby| replayed(primary, standby) } # the primary writes of itself, too
        standbys.each { |standby| pause(standby) }
        db.query("UPDATE noted SET number = 1")
        after = db.position
        assert_equal 0, db.replica(fallback: false).value("SELECT number FROM noted"), "without a position it is stale"
        assert_equal 0, db.replica(after: before, fallback: false).value("SELECT number FROM noted")
        each_way(db.replica(after: after)) { |number| assert_equal 1, number }
        error = assert_raises(NoReplica) { db.replica(after: after, fallback: false).value("SELECT number FROM noted") }
        assert_match(/it lags/, error.message)
        resume(standbys.last)
        replayed(primary, standbys.last)
        reads = db.replica(after: after, fallback: false)
        assert(eventually { answered { reads.value("SELECT 1") } }, "it is asked again")
        10.times { assert_equal [1, standbys.last.port], reads.query("SELECT number, current_setting('port')::int FROM noted").rows.first }
        each_way(reads) { |number| assert_equal 1, number }
      end
    end

    def test_a_division_by_zero_of_the_read_itself_is_the_callers
      with_table do |db,|
        reads = db.replica(after: db.position)
        assert_raises(DivisionByZero) { reads.value("SELECT 1 / (SELECT number FROM noted)") }
        assert_raises(DivisionByZero) { reads.transaction { |tx| tx.value("SELECT 1 / (SELECT number FROM noted)") } }
        assert_raises(DivisionByZero) { reads.stream("SELECT 1 / (SELECT number FROM noted)").to_a }
        assert_raises(ServerError) { reads.value("SELECT 1", settings: { "work_mem" => "nonsense" }) }
      end
    end

    # The server parses and plans it once for each connection.
    def test_connections_keep_the_guard_prepared
      with_table(connections: 1) do |db,|
        token = db.position
        readers = [db.replica(after: token), db.replica(max_lag: 3600), db.replica(after: token, max_lag: 3600)]
        kept = "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name LIKE '%guard%'"
        plans = nil
        enough = eventually do # more than ten on the one that is asked
          10.times { readers.each { |reads| assert_equal 0, reads.value("SELECT number FROM noted") } }
          plans = db.replica(fallback: false).query(kept).rows
          plans.size == 3 && plans.all? { |generic, custom| generic > 10 && custom == 5 }
        end
        assert enough, "their plans are kept: #{plans}"
      end
    end

    # A schema before pg_catalog has functions and operators that would let every read through.
    def test_a_guard_means_what_pg_catalog_means
      with_table do |db, primary, standbys|
        primary.psql(SHADOWS)
        standbys.each { |standby| replayed(primary, standby) }
        standbys.each { |standby| pause(standby) }
        db.query("UPDATE noted SET number = 1")
        after = db.position
        shadowed = hosts_uri(*standbys, primary, options: "-csearch_path%3Dshadows,pg_catalog,public")
        Trunkline.postgres(shadowed, replicas: true) do |client|
          assert_equal "F/0", client.value("SELECT pg_last_wal_replay_lsn()::text"), "the shadows are seen"
          assert_equal 0, client.replica(fallback: false).value("SELECT number FROM noted")
          received(primary, standbys)
          [{ after: after }, { max_lag: 0 }, { after: after, max_lag: 3600 }].each do |asked|
            assert_raises(NoReplica, asked.to_s) { client.replica(**asked, fallback: false).value("SELECT number FROM noted") }
            assert_raises(NoReplica, asked.to_s) { client.replica(**asked, fallback: false).transaction { |tx| tx.value("SELECT number FROM noted") } }
            each_way(client.replica(**asked)) { |number| assert_equal 1, number }
          end
          assert_equal after.split(".").first(3), client.position.split(".").first(3)
        end
      ensure
        primary.psql("DROP SCHEMA IF EXISTS shadows CASCADE")
      end
    end

    def test_lag
      with_table do |db, primary, standbys|
        standbys.each { |standby| replayed(primary, standby) }
        number = nil # the primary writes of itself, too, and for a moment that is not replayed
        assert(eventually { answered { number = db.replica(max_lag: 0, fallback: false).value("SELECT number FROM noted") } })
        assert_equal 0, number
        standbys.each { |standby| pause(standby) }
        db.query("UPDATE noted SET number = 1")
        received(primary, standbys)
        assert_equal 1, db.replica(max_lag: 0).value("SELECT number FROM noted")
        sleep 0.01 # one that has refused a read takes no other one with conditions for 5 ms
        assert_equal 0, db.replica(max_lag: 3600).value("SELECT number FROM noted")
        assert_raises(NoReplica) { db.replica(max_lag: 0, fallback: false).value("SELECT number FROM noted") }
      end
    end

    def test_a_position_of_another_timeline_or_cluster_means_the_primary
      with_replicas do |db, primary,|
        system, timeline, lsn = Postgres.const_get(:Position).parse(db.position).to_a
        text = ->(*numbers) { Postgres.const_get(:Position).new(*numbers).to_s }
        assert_equal primary.port, port_of(db.replica(after: text[system + 1, timeline, lsn]))
        assert_raises(NoReplica) { db.replica(after: text[system + 1, timeline, lsn], fallback: false).value("SELECT 1") }
        error = assert_raises(NoReplica) { port_of(db.replica(after: text[system, timeline + 1, lsn])) }
        assert_match(/timeline 2, and no server was found on it/, error.message)
        assert_raises(NoReplica) { db.replica(after: text[system, timeline + 1, lsn]).transaction { |tx| tx.value("SELECT 1") } }
        refute_equal primary.port, port_of(db.replica(after: text[system, timeline, 1]))
      end
    end

    def test_a_higher_isolation_is_refused
      with_table do |db, primary,|
        reads = db.replica(after: db.position)
        assert_match(/needs READ COMMITTED/, assert_raises(ArgumentError) { reads.transaction(isolation: :repeatable_read) { nil } }.message)
        assert_equal(0, db.replica.transaction(isolation: :repeatable_read) { |tx| tx.value("SELECT number FROM noted") })
        primary.psql("CREATE ROLE careful LOGIN; GRANT SELECT ON noted TO careful; ALTER ROLE careful SET default_transaction_isolation = 'repeatable read'")
        after = db.position
        ReplicaServers.shared.standbys.each { |standby| replayed(primary, standby) }
        Trunkline.postgres(hosts_uri(*ReplicaServers.shared.standbys, primary, user: "careful"), replicas: true) do |careful|
          error = assert_raises(ServerError) { careful.replica(after: after).value("SELECT number FROM noted") }
          assert_match(/needs READ COMMITTED/, error.message)
          assert_equal 0, careful.replica.value("SELECT number FROM noted")
          assert_equal 0, careful.replica(after: careful.position).transaction { |tx| tx.value("SELECT number FROM noted") }, "which chooses its own"
        end
      ensure
        primary.psql("DROP OWNED BY careful; DROP ROLE careful")
      end
    end

    SHADOWS = <<~SQL
      CREATE SCHEMA shadows;
      CREATE FUNCTION shadows.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS $$ SELECT 'F/0'::pg_catalog.pg_lsn $$;
      CREATE FUNCTION shadows.pg_last_wal_receive_lsn() RETURNS pg_lsn LANGUAGE sql AS $$ SELECT '0/0'::pg_catalog.pg_lsn $$;
      CREATE FUNCTION shadows.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.pg_last_xact_replay_timestamp() $$;
      CREATE FUNCTION shadows.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT 'read committed' $$;
      CREATE FUNCTION shadows.passes(pg_lsn, pg_lsn) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$;
      CREATE FUNCTION shadows.passes(float8, float8) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$;
      CREATE FUNCTION shadows.one(int, int) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;
      CREATE OPERATOR shadows.>= (LEFTARG = pg_lsn, RIGHTARG = pg_lsn, FUNCTION = shadows.passes);
      CREATE OPERATOR shadows.<= (LEFTARG = pg_lsn, RIGHTARG = pg_lsn, FUNCTION = shadows.passes);
      CREATE OPERATOR shadows.<= (LEFTARG = float8, RIGHTARG = float8, FUNCTION = shadows.passes);
      CREATE OPERATOR shadows./ (LEFTARG = int, RIGHTARG = int, FUNCTION = shadows.one);
      CREATE TYPE shadows.pg_lsn AS ENUM ('F/0');
      CREATE TYPE shadows.int4 AS ENUM ('1');
      CREATE TYPE shadows.float8 AS ENUM ('0.0');
    SQL
    private_constant :SHADOWS

    private

    # @return [Boolean] whether a replica took it
    def answered
      yield
      true
    rescue NoReplica
      false
    end

    def with_table(**options)
      with_replicas(**options) do |db, primary, standbys|
        db.query("CREATE TABLE noted (number int)")
        db.query("INSERT INTO noted VALUES (0)")
        standbys.each { |standby| replayed(primary, standby) }
        yield db, primary, standbys
      ensure
        db.query("DROP TABLE IF EXISTS noted")
      end
    end

    def each_way(reads)
      sql = "SELECT number FROM noted"
      yield reads.value(sql)
      yield reads.async(sql).value.value
      yield reads.batch { |batch| batch.query(sql) }.first.value
      yield reads.batch(atomic: true) { |batch| batch.query(sql) }.first.value
      yield reads.stream(sql).first["number"]
      yield(reads.transaction { |tx| tx.value(sql) })
      yield reads.value(sql, settings: { "app.tenant" => "7" })
      yield reads.with(keys: :symbol).first(sql)[:number]
    end
  end
end
