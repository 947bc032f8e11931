# frozen_string_literal: true

require "test_helper"
require "support/faulty_cluster"
require "support/hedge_accounts"
require "support/replica_model"

module Trunkline
  # Random calls of random kinds and options, after positions of the same user or of another, while servers fail in a random order and standbys pause their
  # replay: each read is one that the guide allows. TRUNKLINE_FAULTS_SECONDS says for how long, TRUNKLINE_FAULTS_SEED repeats the order.
  class RandomReplicaReadsTest < TestCase
    SECONDS = Float(ENV.fetch("TRUNKLINE_FAULTS_SECONDS", 60))
    USERS = 6
    WAIT = 600       # seconds for which callers wait for a primary
    TAKEN_OVER = 5.0 # seconds within which the client notices that a standby is a primary now
    PATIENCE = 120   # seconds for the last calls
    private_constant :SECONDS, :USERS, :WAIT, :TAKEN_OVER, :PATIENCE

    def test_random_calls_see_what_they_may
      seed = Integer(ENV.fetch("TRUNKLINE_FAULTS_SEED", rand(1 << 16)))
      random = Random.new(seed)
      FaultyCluster.open(synchronous: true, random: random, faults: FaultyCluster::OF_SERVERS) do |cluster|
        with_users(cluster, seed) do |db, users|
          faults = pausing(cluster, seed) { under_faults(cluster) }
          finish
          report(users, faults, seed)
          assert_empty users.flat_map(&:wrong), "seed #{seed}, #{faults.map(&:name)}"
          assert_at_rest(db, "seed #{seed}, #{faults.map(&:name)}")
        end
      end
    end

    private

    def with_users(cluster, seed)
      cluster.primary.psql("CREATE TABLE modelled (id int PRIMARY KEY, number int); INSERT INTO modelled SELECT id, 0 FROM generate_series(1, #{USERS}) AS id")
      places = cluster.servers.map { |server| "127.0.0.1:#{server.port}" }.join(",")
      Trunkline.postgres("postgresql://postgres@#{places}/postgres?connect_timeout=2", replicas: true, connections: 3, max_connections: 5, failover_wait: WAIT) do |db|
        @accounts = HedgeAccounts.new(db.__send__(:readers).set)
        @cluster, @faults = cluster, []
        eventually_there(db)
        users = []
        USERS.times { |number| users << ReplicaModel.new(db, number + 1, seed + number, users, method(:promoted?)) }
        @stop = false
        @threads = users.map { |user| Thread.new { user.call until @stop } }
        yield db, users
      ensure
        @stop = true
        @threads&.each(&:kill)
      end
    end

    # The table is on both standbys.
    def eventually_there(db)
      2.times { db.replica(after: db.position).value("SELECT count(*) FROM modelled") }
    end

    # Whether a standby takes over, or has done so shortly before that moment.
    def promoted?(at) = FaultyCluster::PROMOTING.include?(@cluster.fault&.name) || @faults.any? { |fault| fault.promoted_at.to_f > at - TAKEN_OVER }

    def under_faults(cluster)
      ends_at = now + SECONDS
      @faults << cluster.fail while now < ends_at
      @faults
    end

    # Meanwhile standbys pause their replay now and then.
    def pausing(cluster, seed)
      random = Random.new(seed)
      stop = false
      pauser = Thread.new do
        until stop
          server = cluster.servers.sample(random: random)
          told(server, "SELECT pg_wal_replay_pause() WHERE pg_is_in_recovery()")
          sleep random.rand(0.3)
          told(server, "SELECT pg_wal_replay_resume() WHERE pg_is_in_recovery()")
          tell_timeline(cluster) if random.rand < 0.2
        end
      end
      yield
    ensure
      stop = true
      pauser.join
    end

    # Standbys tell their timeline at a restart point, for which the primary writes a checkpoint.
    def tell_timeline(cluster) = [cluster.primary, *cluster.servers].each { |server| told(server, "CHECKPOINT") }

    def told(server, sql)
      server.psql(sql)
    rescue RuntimeError
      nil # it is away, or was promoted meanwhile
    end

    def finish
      @stop = true
      @threads.each { |thread| thread.join(PATIENCE) or flunk("a user hangs: #{thread.backtrace.first(12).join("\n")}") }
    end

    def report(users, faults, seed)
      return unless ENV["TRUNKLINE_FAILOVER_REPORT"]

      puts "seed #{seed}: #{faults.map(&:name).tally}; #{users.map(&:met).reduce { |all, met| all.merge(met) { |_, one, other| one + other } }}"
    end

    # No caller counts as waiting, nothing is in flight, and standbys read after a position again.
    def assert_at_rest(db, message)
      pools = db.__send__(:readers).pools
      deadline = now + PATIENCE
      until pools.sum { |pool| pool.stats[:in_flight] }.zero? && read_by_standby?(db)
        flunk("#{message}: #{db.stats[:replicas]}") if now > deadline
        tell_timeline(@cluster)
      end
      assert_empty @accounts.waiting, message
      assert_equal 0, @accounts.lost, message
    end

    def read_by_standby?(db)
      db.replica(after: db.position, fallback: false, hedge: true).value("SELECT pg_is_in_recovery()")
    rescue NoReplica
      false
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
