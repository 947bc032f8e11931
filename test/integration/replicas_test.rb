# frozen_string_literal: true

require "test_helper"
require "json"
require "support/replica_servers"
require "trunkline/cli/command"
require "trunkline/instrumentation/snapshot"

module Trunkline
  # Reads of standbys: which of them takes a read, and what becomes of it where none does.
  class ReplicasTest < TestCase
    include ReplicaServers

    PORT = "SELECT current_setting('port')::int AS port"
    private_constant :PORT

    def test_reads_go_to_standbys_and_queries_to_the_primary
      with_replicas do |db, primary, standbys|
        assert_equal primary.port, port_of(db)
        ports = Array.new(20) { port_of(db.replica) }.tally
        assert_equal standbys.map(&:port).sort, ports.keys.sort
        assert_equal 1, db.replica { |reads| reads.value("SELECT 1") }
        shares = db.stats[:replicas].map { |replica| replica[:share] }
        assert_in_delta 1, shares.sum, 0.001
      end
    end

    def test_each_replica_has_a_connection_before_any_has_a_second
      with_replicas(connections: 2) do |db,|
        2.times { db.replica.value("SELECT 1") }
        assert_equal [1, 1, 0], opened(db)
        Array.new(8) { db.replica.async("SELECT pg_sleep(0.05)") }.each(&:value)
        assert(opened(db).first(2).all? { |open| open >= 2 })
      end
    end

    def test_all_ways_to_read
      with_replicas do |db, _, standbys|
        reads = db.replica(fallback: false)
        ports = standbys.map(&:port)
        assert_includes ports, reads.query(PORT).first["port"]
        assert_includes ports, reads.first(PORT)["port"]
        assert_includes ports, reads.async(PORT).value.first["port"]
        assert_equal [1, 2], reads.batch { |batch| [1, 2].each { |number| batch.query("SELECT #{number}") } }.map(&:value)
        assert_equal [3, 4], reads.batch(atomic: true) { |batch| [3, 4].each { |number| batch.query("SELECT #{number}") } }.map(&:value)
        assert_equal 55, reads.stream("SELECT generate_series(1, 10) AS number").sum { |row| row["number"] }
        assert_includes(ports, reads.transaction { |tx| port_of(tx) })
        assert_equal "7", reads.value("SELECT current_setting('app.tenant')", settings: { "app.tenant" => "7" })
        assert_includes ports, reads.with(keys: :symbol).first(PORT)[:port]
        assert_equal [5], reads.value("SELECT $1::int[]", [5])
        assert_equal %w[a b], reads.value("SELECT ARRAY['a', 'b']::name[]")
      end
    end

    def test_a_read_within_a_transaction_of_the_primary_goes_to_a_replica
      with_replicas do |db, primary, standbys|
        db.transaction do |tx|
          assert_equal primary.port, port_of(tx)
          assert_includes standbys.map(&:port), port_of(db.replica)
          assert_equal primary.port, port_of(db)
          assert_raises(SharedStateError) { db.replica.query("SET work_mem = '1MB'") }
          assert_raises(SharedStateError) { db.replica.batch { |batch| batch.query("SET work_mem = '1MB'") } }
        end
        assert_raises(SharedStateError) { db.replica.query("SET work_mem = '1MB'") }
      end
    end

    def test_a_write_is_refused_in_words_that_say_what_to_call
      with_replicas do |db,|
        error = assert_raises(ReadOnlySqlTransaction) { db.replica.query("CREATE TABLE written (number int)") }
        assert_match(/db\.replica \{ \} takes reads only: call db\.query/, error.message)
        [-> { db.replica.batch { |batch| batch.query("CREATE TABLE written (number int)") } },
         -> { db.replica.transaction { |tx| tx.query("CREATE TABLE written (number int)") } },
         -> { db.replica.async("CREATE TABLE written (number int)").value }].each { |write| assert_raises(ReadOnlySqlTransaction, &write) }
        assert_raises(ArgumentError) { db.replica.query("SELECT 1", group_commit: true) }
      end
    end

    def test_nor_does_the_primary_write_where_it_takes_the_read
      with_server do |primary|
        Trunkline.postgres(primary.uri, replicas: true) do |db|
          db.query("CREATE TABLE written (number int)")
          [-> { db.replica.query("INSERT INTO written VALUES (1)") }, -> { db.replica.async("INSERT INTO written VALUES (1)").value },
           -> { db.replica.stream("INSERT INTO written VALUES (1) RETURNING 1").to_a }, -> { db.replica.transaction { |tx| tx.query("INSERT INTO written VALUES (1)") } },
           -> { db.replica.batch(atomic: true) { |batch| batch.query("INSERT INTO written VALUES (1)") } }].each do |write|
            assert_raises(ReadOnlySqlTransaction, &write)
          end
          assert_raises(NoReplica) { db.replica.query("VACUUM written") }
          assert_equal 0, db.value("SELECT count(*) FROM written")
        end
      end
    end

    def test_without_replicas_the_primary_takes_reads
      Trunkline.postgres(postgres_server.uri, replicas: true) do |db|
        assert_equal postgres_server.port, with_long_connecting { port_of(db.replica) }
        assert_equal 3, db.replica.stream("SELECT generate_series(1, 3)").count
        error = assert_raises(NoReplica) { db.replica(fallback: false).value("SELECT 1") }
        assert_match(/it is not a standby/, error.message)
        assert_predicate error, :retriable?
        assert_raises(NoReplica) { db.replica(fallback: false).stream("SELECT 1").to_a }
        [-> { db.replica.stream("SELECT 1 / 0").to_a }, -> { db.replica.transaction { |tx| tx.value("SELECT 1 / 0") } }].each do |read|
          assert_raises(DivisionByZero, &read) # which is the read's own, not that of the check whether the server fulfils the conditions
        end
      end
      with_client { |db| assert_match(/replicas: true/, assert_raises(ArgumentError) { db.replica }.message) }
      error = assert_raises(ConfigError) { Trunkline.postgres(postgres_server.uri, replicas: true, target_session_attrs: "standby") }
      assert_match(/db.query goes to the primary/, error.message)
    end

    def test_what_is_reported_of_each_host
      with_replicas do |db, primary, standbys|
        standbys.each { |standby| replayed(primary, standby) }
        told = eventually do
          20.times { db.replica.value("SELECT 1") }
          told = db.stats[:replicas]
          told if told.first(2).all? { |replica| replica[:lag] && replica[:timeline] }
        end
        assert(told.first(2).all? { |replica| replica[:role] == "standby" && replica[:reads].positive? && replica[:p99].positive? && replica[:lag] >= 0 })
        assert_equal [0, "primary"], told.last.values_at(:reads, :role)
        assert_match(/standby/, db.stats[:replicas].last[:error])
        now = JSON.parse(JSON.generate(Trunkline.const_get(:Snapshot).take([db])), symbolize_names: true)
        screen = CLI::Top::Screen.new(200, 100).lines({ **now, at: now[:at] - 1 }, now).join("\n")
        assert_match(/replica .*:#{standbys.first.port}.*   reads \d+   share \d+ %   behind .*   p99 /, screen)
      end
    end

    def test_bad_requirements
      with_client(replicas: true) do |db|
        assert_match(/max_lag must be a number/, assert_raises(ArgumentError) { db.replica(max_lag: "1") }.message)
        [{ max_lag: -1 }, { max_lag: Float::NAN }, { fallback: 1 }, { fallback: nil }].each { |bad| assert_raises(ArgumentError) { db.replica(**bad) } }
        assert_raises(TypeError) { db.replica(after: 7) }
        ["", "1", "1.2.3", "2.a.b.c", "1.a.b.c ", "1.#{"z" * 13}.1.1", "1.1.zzzzzzz.1", "x" * 1_000_000, "1.a.b.c\n", "1.A.b.c", "1.a.b.c".encode("UTF-16LE"),
         "\xff"].each do |text|
          assert_match(/no position/, assert_raises(ArgumentError) { db.replica(after: text) }.message)
        end
      end
    end

    private

    def opened(db) = db.stats[:replicas].map { |replica| replica[:open] }
  end
end
