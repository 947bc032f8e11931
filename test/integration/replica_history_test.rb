# frozen_string_literal: true

require "test_helper"
require "support/replica_servers"

module Trunkline
  # What sessions are promised, with replicas that replay at random moments, connections that are killed, and a standby that takes over: each user reads the
  # own writes, and what is read with a position of its own never goes back. Each write is a number that is higher than the one before; TRUNKLINE_HISTORY_SECONDS
  # and TRUNKLINE_HISTORY_SEED have it run for longer, or again.
  class ReplicaHistoryTest < TestCase
    include ReplicaServers

    USERS = 8
    SECONDS = Float(ENV.fetch("TRUNKLINE_HISTORY_SECONDS", 3))
    WAYS = {
      value: ->(reads, id) { reads.value("SELECT number FROM histories WHERE id = $1", id) },
      async: ->(reads, id) { reads.async("SELECT number FROM histories WHERE id = $1", id).value.value },
      batch: ->(reads, id) { reads.batch { |batch| batch.query("SELECT number FROM histories WHERE id = $1", id) }.first.value },
      atomic: ->(reads, id) { reads.batch(atomic: true) { |batch| batch.query("SELECT number FROM histories WHERE id = $1", id) }.first.value },
      stream: ->(reads, id) { reads.stream("SELECT number FROM histories WHERE id = $1", id).to_a.first["number"] },
      transaction: ->(reads, id) { reads.transaction { |tx| tx.value("SELECT number FROM histories WHERE id = $1", id) } },
      settings: ->(reads, id) { reads.value("SELECT number FROM histories WHERE id = $1", id, settings: { "app.user" => id }) }
    }.freeze
    private_constant :USERS, :SECONDS, :WAYS

    def test_users_read_their_own_writes_while_replay_is_delayed_and_connections_are_killed
      seed = Integer(ENV.fetch("TRUNKLINE_HISTORY_SEED", rand(10_000)))
      with_replicas(connections: 3) do |db, primary, standbys|
        create(primary, standbys)
        stale = troubled(standbys, Random.new(seed)) do
          users(db, seed) do |_, served|
            sleep(SECONDS)
            assert eventually { served[:standby].positive? }, "seed #{seed}: a standby serves reads after a position"
          end
        end
        assert_empty stale, "seed #{seed}"
      ensure
        primary.psql("DROP TABLE IF EXISTS histories")
      end
    end

    # The primary hands over. The second standby follows the first, and takes reads again when it has told the new timeline.
    def test_users_read_their_own_writes_while_a_standby_takes_over
      seed = Integer(ENV.fetch("TRUNKLINE_HISTORY_SEED", rand(10_000)))
      in_a_row do |db, primary, standbys|
        create(primary, standbys)
        assert_taken_over(db, standbys, seed) { primary.stop }
      end
    end

    # With synchronous replication, so that no write is lost that was acknowledged.
    def test_users_read_their_own_writes_when_the_primary_is_killed
      seed = Integer(ENV.fetch("TRUNKLINE_HISTORY_SEED", rand(10_000)))
      in_a_row(options: "-c synchronous_commit=on") do |db, primary, standbys|
        create(primary, standbys)
        primary.psql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.psql("SELECT pg_reload_conf()")
        assert eventually { primary.psql("SELECT sync_state FROM pg_stat_replication") == "sync\n" }
        assert_taken_over(db, standbys, seed) do
          Process.kill("KILL", primary.pid)
          assert eventually { standbys.first.psql("SELECT count(*) FROM pg_stat_wal_receiver") == "0\n" }, "the standby notes it"
        end
      end
    end

    private

    # Users go on while the block ends the primary, the first standby takes over, and the second follows it.
    def assert_taken_over(db, standbys, seed)
      stale = users(db, seed) do |written, served|
        goes_on(written)
        assert eventually { served[:standby].positive? }, "seed #{seed}: a standby serves reads after a position"
        yield
        standbys.first.psql("SELECT pg_promote()")
        goes_on(written)
        follows(*standbys)
        goes_on(written)
      end
      assert_empty stale, "seed #{seed}"
      assert eventually { db.replica(after: db.position).value("SELECT pg_is_in_recovery()") }, "a standby takes reads after a position of the new timeline"
    end

    # The block has a primary, a standby of it, and a standby of that one.
    def in_a_row(**options)
      with_server do |primary|
        first = Bench::PostgresServer.start_standby(primary)
        second = Bench::PostgresServer.start_standby(first)
        replicated_client(primary, [first, second], connections: 3, **options) { |db| yield db, primary, [first, second] }
      ensure
        [first, second].compact.each(&:discard)
      end
    end

    # The second has told that it is on the timeline of the first, which has taken over.
    def follows(first, second)
      first.psql("CHECKPOINT")
      assert eventually { second.psql("CHECKPOINT") && second.psql("SELECT timeline_id FROM pg_control_checkpoint()") == "2\n" }
    end

    def create(primary, standbys)
      primary.psql("CREATE TABLE histories (id int PRIMARY KEY, number int); INSERT INTO histories SELECT id, 0 FROM generate_series(1, #{USERS}) AS id")
      standbys.each { |standby| replayed(primary, standby) }
    end

    # Each user has written some times more.
    def goes_on(written)
      before = written.dup
      assert eventually { written.zip(before).all? { |now, then_| now > then_ + 5 } }, "all users go on: #{before}, #{written}"
    end

    # @yieldparam written [Array<Integer>] how often each user has written; they go on until the block is left
    # @yieldparam served [Hash{Symbol => Integer}] how many reads each kind of server has served
    # @return [Array] reads that were stale
    def users(db, seed)
      stop = false
      stale, seen, written = [], Array.new(USERS) { {} }, [0] * USERS
      served = Hash.new(0)
      users = Array.new(USERS) do |number|
        random = Random.new(seed + number)
        Thread.new do
          until stop
            written[number] += 1 if untroubled { user(db, number + 1, random, stale, served) }
            untroubled { read_on(db, random.rand(USERS), seen[number], stale) }
          end
        end
      end
      yield written, served
      stop = true
      users.each { |user| user.join(60) or raise "a user hangs" }
      stale
    ensure
      stop = true
    end

    # While a standby takes over, a write or a read may fail: it counts as not acknowledged.
    def untroubled
      yield
      true
    rescue Error => error
      raise unless error.is_a?(Indeterminate) || error.retriable?

      false
    end

    # What others write, read after a position that was asked after the read before, never goes back.
    def read_on(db, other, seen, stale)
      read = db.replica(after: db.position).value("SELECT number FROM histories WHERE id = $1", other + 1)
      stale << [:monotonic, seen[other], read] if read < seen.fetch(other, 0)
      seen[other] = read
    end

    # Writes and reads again and again: what was written is seen from then on.
    def user(db, id, random, stale, served)
      written = db.value("UPDATE histories SET number = number + 1 WHERE id = $1 RETURNING number", id)
      reads = db.replica(after: db.position)
      WAYS.keys.sample(3, random: random).each do |way|
        read = WAYS.fetch(way).call(reads, id)
        stale << [way, written, read] if read < written
      end
      served[reads.value("SELECT pg_is_in_recovery()") ? :standby : :primary] += 1
    end

    # Meanwhile standbys pause and resume, and lose their connections.
    def troubled(standbys, random)
      stop = false
      trouble = Thread.new do
        until stop
          standby = standbys.sample(random: random)
          standby.psql("SELECT pg_wal_replay_pause()")
          standby.psql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()") if random.rand < 0.3
          standby.psql("SELECT pg_wal_replay_resume()")
        end
      end
      yield
    ensure
      stop = true
      trouble.join
    end
  end
end
