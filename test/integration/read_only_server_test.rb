# frozen_string_literal: true

require "test_helper"
require "support/pgbouncer"
require "support/server_pair"

module Trunkline
  # Writes that reach a standby where another server takes them.
  class ReadOnlyServerTest < TestCase
    include ServerPair

    READ_ONLY = ReadOnlySqlTransaction
    private_constant :READ_ONLY

    def test_writes_leave_a_standby
      with_pair do |primary, standby|
        primary.psql("CREATE TABLE tokens (token text)")
        replayed(primary, standby)
        written_by_each_way(primary, standby)
        a_batch_is_carried_out_in_order(primary, standby)
        refused_where_no_other_is_there(primary, standby)
        refused_where_the_caller_wants_to_read(primary, standby)
        a_session_does_not_move_once_it_has_begun(primary, standby)
      end
    end

    # A pooler tells each client what its server said when the pooler connected: that it was no standby.
    # The next host of the list would refuse it too.
    def test_writes_pass_over_other_standbys
      with_server do |primary|
        standby, other = Bench::PostgresServer.start_standbys(primary, 2)
        primary.psql("CREATE TABLE passed (token text)")
        [standby, other].each { |server| replayed(primary, server) }
        Trunkline.postgres(hosts_uri(standby, other, primary), connections: 1) do |db|
          assert_equal standby.port, unhurried { port_of(db) }
          assert_equal primary.port, unhurried { db.value("INSERT INTO passed VALUES ('one') RETURNING current_setting('port')::int") }
          primary.stop
          assert_includes [standby.port, other.port], db.value("SELECT current_setting('port')::int", idempotent: true), "any will do where none takes writes"
        end
      ensure
        [standby, other].compact.each(&:discard)
      end
    end

    def test_writes_leave_a_pooler_that_leads_to_a_standby_by_now
      with_pair do |primary, standby|
        primary.psql("CREATE TABLE tokens (token text)")
        replayed(primary, standby)
        with_poolers(primary) do |db, first|
          unhurried { db.query("INSERT INTO tokens VALUES ('before')") } # through the first one
          first.lead_to(standby)
          assert eventually { port_of(db) == standby.port }
          unhurried { db.query("INSERT INTO tokens VALUES ('after')") }
          assert_equal [primary.port, "before\nafter\n"], [port_of(db), primary.psql("SELECT token FROM tokens")]
        end
      end
    end

    # What it refuses every other server would, too: it costs a connection or two when the hosts are looked at again, once a second, and none else.
    def test_a_role_whose_transactions_are_read_only
      postgres_server.psql("CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on; CREATE TABLE unwritten (id int); GRANT ALL ON unwritten TO reader")
      began = Waiting.now
      Trunkline.postgres(postgres_server.uri(user: "reader"), connections: 1, max_connections: 3) do |db|
        30.times { assert_raises(READ_ONLY) { db.transaction { |tx| tx.query("DELETE FROM unwritten") } } }
        assert_operator db.stats[:opened], :<=, 3 + (2 * (Waiting.now - began).ceil)
        assert_equal 0, db.transaction(read_only: false) { |tx| tx.query("DELETE FROM unwritten") }.affected_rows
      end
    ensure
      postgres_server.psql("DROP TABLE unwritten; DROP ROLE reader")
    end

    private

    def with_poolers(server)
      PgBouncer.open(server, pool: 2) do |first|
        PgBouncer.open(server, pool: 2) do |second|
          uri = "postgresql://postgres@127.0.0.1:#{first.port},127.0.0.1:#{second.port}/postgres"
          Trunkline.postgres(uri, prepare: false) { |db| yield db, first }
        end
      end
    end

    # Each first write of a client meets the standby.
    def written_by_each_way(primary, standby)
      write = "INSERT INTO tokens VALUES ($1)"
      ways = {
        "query" => ->(db, token) { db.query(write, token) }, "async" => ->(db, token) { db.async(write, token).value },
        "with" => ->(db, token) { db.with(settings: { "work_mem" => "5MB" }).query(write, token) },
        "transaction" => ->(db, token) { db.transaction { |tx| tx.query(write, token) } },
        "client in a transaction" => ->(db, token) { db.transaction { db.query(write, token) } },
        "session" => ->(db, token) { db.session { |session| session.query(write, token) } },
        "batch" => ->(db, token) { db.batch { |batch| batch.query(write, token) } },
        "atomic batch" => ->(db, token) { db.batch(atomic: true) { |batch| batch.query(write, token) } },
        "batch with settings" => ->(db, token) { db.batch(settings: { "work_mem" => "5MB" }) { |batch| batch.query(write, token) } },
        "batch in a transaction" => ->(db, token) { db.transaction { |tx| tx.batch { |batch| batch.query(write, token) } } },
        "atomic batch in a session" => ->(db, token) { db.session { |session| session.batch(atomic: true) { |batch| batch.query(write, token) } } }
      }
      ways.each do |token, way|
        Trunkline.postgres(hosts_uri(standby, primary)) do |db|
          assert_equal standby.port, unhurried { port_of(db) }
          unhurried do
            way.call(db, token)
            assert_equal [primary.port] * 2, [port_of(db), db.transaction { |tx| port_of(tx) }], token
          end
        end
      end
      assert_equal ways.keys.sort, primary.psql("SELECT token FROM tokens").split("\n").sort
    end

    # What stands behind a refused write sees it; an error of another kind stays one, and what stands before the write is not repeated.
    def a_batch_is_carried_out_in_order(primary, standby)
      Trunkline.postgres(hosts_uri(standby, primary), prepare: false) do |db|
        unhurried { port_of(db) }
        count = "SELECT count(*)::int, current_setting('port')::int FROM tokens WHERE token = 'ordered'"
        error = assert_raises(ServerError) do
          db.batch { |batch| [count, "INSERT INTO tokens VALUES ('ordered')", "SELECT 1/0", count].each { |sql| batch.query(sql) } }
        end
        before, written, failed, after = error.batch
        assert_equal "22012", error.sqlstate
        assert_equal [[0, standby.port], 1, error, [1, primary.port]], [before.rows.first.to_a, written.affected_rows, failed, after.rows.first.to_a]
      end
      primary.psql("DELETE FROM tokens WHERE token = 'ordered'")
    end

    # It is told after one more attempt.
    def refused_where_no_other_is_there(_primary, standby)
      Trunkline.postgres(standby.uri) do |db|
        assert_raises(READ_ONLY) { db.query("DELETE FROM tokens") }
        assert_equal 2, db.stats[:opened]
        assert_raises(READ_ONLY) { db.transaction { |tx| tx.query("DELETE FROM tokens") } }
        [false, true].each { |atomic| assert_raises(READ_ONLY) { db.batch(atomic: atomic) { |batch| batch.query("DELETE FROM tokens") } } }
        assert_equal standby.port, port_of(db)
      end
    end

    def refused_where_the_caller_wants_to_read(primary, standby)
      Trunkline.postgres(hosts_uri(standby, primary, target_session_attrs: "prefer-standby")) do |db|
        unhurried { assert_raises(READ_ONLY) { db.query("DELETE FROM tokens") } }
        assert_equal [standby.port, 1], [port_of(db), db.stats[:opened]]
      end
      Trunkline.postgres(hosts_uri(primary, standby), connections: 1, max_connections: 1) do |db|
        unhurried { port_of(db) }
        read_only_by_each_way.each do |way, write|
          assert_raises(READ_ONLY, way) { write.call(db) }
          assert_equal [primary.port, 1], [port_of(db), db.stats[:opened]], way
        end
      end
    end

    # Servers before 14 do not tell that they are no standby, so it is the caller's words that count.
    def read_only_by_each_way
      setting = { "Transaction_Read_Only" => "on" }
      { "transaction" => ->(db) { db.transaction(read_only: true) { |tx| tx.query("DELETE FROM tokens") } },
        "setting" => ->(db) { db.query("DELETE FROM tokens", settings: setting) },
        "scope" => ->(db) { db.with(settings: setting).query("DELETE FROM tokens") },
        "scope's transaction" => ->(db) { db.with(settings: setting).transaction { |tx| tx.query("DELETE FROM tokens") } },
        "batch" => ->(db) { db.batch(settings: setting) { |batch| batch.query("DELETE FROM tokens") } },
        "transaction's batch" => ->(db) { db.transaction(read_only: true) { |tx| tx.batch(atomic: true) { |batch| batch.query("DELETE FROM tokens") } } },
        "script" => ->(db) { db.execute_script("BEGIN TRANSACTION READ ONLY; DELETE FROM tokens") } }
    end

    def a_session_does_not_move_once_it_has_begun(primary, standby)
      Trunkline.postgres(hosts_uri(standby, primary)) do |db|
        db.transaction do |tx|
          assert_equal standby.port, unhurried { port_of(tx) }
          assert_raises(READ_ONLY) { tx.query("DELETE FROM tokens") }
          tx.rollback
        end
      end
    end
  end
end
