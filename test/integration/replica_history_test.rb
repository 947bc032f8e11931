# frozen_string_literal: true

require "test_helper"
require "support/replica_servers"

module Trunkline
  # What sessions are promised, with replicas that replay at random moments and connections that are killed: each user reads the own writes, and with
  # the latest position of what was written never goes back. Each write is a number that is higher than the one before; TRUNKLINE_HISTORY_SECONDS
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
        primary.psql("CREATE TABLE histories (id int PRIMARY KEY, number int); INSERT INTO histories SELECT id, 0 FROM generate_series(1, #{USERS}) AS id")
        stale, served = troubled(standbys, Random.new(seed)) { users(db, seed) }
        assert_empty stale, "seed #{seed}"
        assert_operator served[:standby], :>, 0, "seed #{seed}: a standby has served reads after a position"
      ensure
        primary.psql("DROP TABLE IF EXISTS histories")
      end
    end

    private

    # @return [Array(Array, Hash)] reads that were stale, and how many reads each kind of server has served
    def users(db, seed)
      stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + SECONDS
      stale = []
      served = Hash.new(0)
      users = Array.new(USERS) do |number|
        Thread.new { user(db, number + 1, Random.new(seed + number), stale, served) until Process.clock_gettime(Process::CLOCK_MONOTONIC) > stop }
      end
      users.each { |user| user.join(60) or raise "a user hangs" }
      [stale, served]
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
