# frozen_string_literal: true

require "support/interruptions"
require "support/leeway"
require "support/simulated_replay_waits"
require "support/replica_servers"

module Shared
  # Reads that wait until a replica has replayed their position, as PostgreSQL 19 lets them. The test includes a host. The servers are older: see
  # {Trunkline::SimulatedReplayWaits}.
  module ReplayWaits
    include Trunkline::ReplicaServers
    include Interruptions
    include Leeway

    NUMBER = "SELECT number, pg_is_in_recovery() FROM noted"
    # Longer than a test takes, so that what ends a wait is what the test does.
    LONGEST = 60.0
    WAYS = {
      query: ->(reads) { reads.query(NUMBER).rows.first },
      batch: ->(reads) { reads.batch { |batch| batch.query(NUMBER) }.first.rows.first },
      atomic: ->(reads) { reads.batch(atomic: true) { |batch| batch.query(NUMBER) }.first.rows.first },
      stream: ->(reads) { reads.stream(NUMBER).map(&:values).first },
      transaction: ->(reads) { reads.transaction { |tx| tx.query(NUMBER) }.rows.first },
      hedged: ->(reads) { reads.query(NUMBER).rows.first }
    }.freeze
    private_constant :LONGEST

    # Before any test's scheduler.
    def setup
      super
      Trunkline::ReplicaServers.shared
    end

    def test_a_read_waits_for_a_replica
      waiting do |db|
        WAYS.each do |name, way|
          reader, wait = waits(db) { |token| way.call(db.replica(after: token, fallback: false, hedge: name == :hedged)) }
          assert_equal @lsn, wait.lsn.split("/").map(&:hex)
          assert_includes 1..LONGEST * 1000, wait.milliseconds
          resume_all
          assert_equal [@number, true], reader.value, name
        end
      end
    end

    def test_the_primary_takes_it_when_none_has_replayed_in_time
      waiting do |db|
        db.__send__(:readers).set.instance_variable_get(:@waits).instance_variable_set(:@longest, 0.01)
        WAYS.each do |name, way|
          reader, wait = waits(db) { |token| way.call(db.replica(after: token)) }
          assert_equal [@number, false], reader.value, name
          assert_equal 10, wait.milliseconds
          assert_nil @came.pop, "the caller has its answer"
          assert_empty @came, "a read waits once"
        end
      end
    end

    def test_a_deadline_bounds_the_wait
      waiting do |db|
        reader, wait = waits(db) { |token| db.replica(after: token).value(NUMBER, deadline: 1) }
        assert_instance_of Trunkline::Deadline, reader.error
        assert_includes 1..1000, wait.milliseconds
        assert_in_order(db)
      end
    end

    # Promoted, refused by the server, ended by recovery, or lost: the primary takes the read.
    def test_a_wait_that_fails
      waiting do |db|
        ["SELECT 'not in recovery'", "SELECT 1 / 0 AS status", "SELECT pg_terminate_backend(pg_backend_pid())", "", "SELECT 'timeout'"].each do |answer|
          @nineteens.each { |nineteen| nineteen.answer = answer }
          reader, = waits(db) { |token| db.replica(after: token).query(NUMBER).rows.first }
          assert_equal [@number, false], reader.value, answer
          assert_in_order(db)
        end
      end
    end

    def test_a_caller_that_is_stopped_or_whose_replica_is_lost_leaves_nothing_behind
      waiting do |db|
        reader, = waits(db) { |token| db.replica(after: token).value(NUMBER) }
        reader.cancel(Cancelled.new)
        assert_instance_of Cancelled, reader.error
        assert_in_order(db)
        reader, = waits(db) { |token| db.replica(after: token).value(NUMBER) }
        @nineteens.each(&:disconnect)
        assert_equal @number, reader.value, "by the primary"
        assert_in_order(db)
      end
    end

    def test_a_server_without_the_function_is_not_queried
      waiting(version: 180_004) do |db|
        reader, wait = waits(db) { |token| db.replica(after: token).query(NUMBER).rows.first }
        assert_nil wait
        assert_equal [@number, false], reader.value
      end
    end

    # The rest of the connections that are not shared: further reads go to the primary at once.
    def test_as_many_wait_as_there_are_connections_that_are_not_shared
      waiting(connections: 1, max_connections: 3) do |db|
        waiters = Array.new(4) { |at| waits(db, anew: at.zero?) { |token| db.replica(after: token).query(NUMBER).rows.first }.first }
        assert_equal [@number, false], db.replica(after: @token).query(NUMBER).rows.first
        assert_empty @came
        resume_all
        assert_equal [[@number, true]] * 4, waiters.map(&:value)
      end
    end

    private

    # @yieldparam db [Postgres::Client] that has read from both standbys
    def waiting(connections: 1, version: 190_000, **options)
      primary, standbys = Trunkline::ReplicaServers.shared.to_a
      primary.psql("CREATE TABLE noted (number int); INSERT INTO noted VALUES (0); #{Trunkline::SimulatedReplayWaits::FUNCTION}")
      standbys.each { |standby| replayed(primary, standby) }
      @number = 0
      @version = version
      @came = Thread::Queue.new
      @nineteens = standbys.map { |standby| Trunkline::SimulatedReplayWaits.new(standby, @came, version) }
      @direct = standbys.map { |standby| Trunkline.postgres(standby.uri, connections: 1) }
      in_host do
        replicated_client(primary, @nineteens, connections: connections, **options) do |db|
          db.__send__(:readers).set.instance_variable_get(:@waits).instance_variable_set(:@longest, LONGEST)
          assert_in_order(db)
          yield db
        end
      end
    ensure
      standbys.each { |standby| resume(standby) }
      primary.psql("DROP TABLE noted; DROP FUNCTION wait_for_lsn")
      [*@direct, *@nineteens].each(&:close)
    end

    # @param anew [Boolean] whether something more is written, which is on neither standby
    # @yieldparam token [String] of what was written last
    # @return [Array(Caller, Wait)] a caller, and its wait on a replica; nil in its place: it has ended without
    def waits(db, anew: true)
      write(db) if anew
      with_much_grace do
        reader = later do
          yield @token
        ensure
          @came << nil
        end
        [reader, @came.pop]
      end
    end

    def write(db)
      @direct.each { |standby| standby.query("SELECT pg_wal_replay_pause()") }
      assert(@direct.all? { |standby| eventually { standby.value("SELECT pg_get_wal_replay_pause_state()") == "paused" } })
      db.query("UPDATE noted SET number = $1", @number += 1)
      @token = db.position
      @came.clear
      lsn = Trunkline::Postgres.const_get(:Position).parse(@token).lsn
      @lsn = [lsn >> 32, lsn & 0xffffffff]
    end

    def resume_all = @direct.each { |standby| standby.query("SELECT pg_wal_replay_resume()") }

    # Nothing is in flight for any caller, and both replicas answer, and have told their versions.
    def assert_in_order(db)
      set = db.__send__(:readers).set
      assert(eventually do
        2.times { db.replica(fallback: false).value("SELECT 1") }
        set.replicas.first(2).all? { |replica| replica.open? && replica.instance_variable_get(:@version) == @version } &&
          set.pools.all? { |pool| pool.stats[:in_flight].zero? && pool.counts[:pinned].zero? }
      rescue Trunkline::Error
        false
      end, -> { [set.stats, set.pools.map(&:counts)].to_s })
    end
  end
end
