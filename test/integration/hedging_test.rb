# frozen_string_literal: true

require "test_helper"
require "support/frozen_server"
require "support/hedge_accounts"
require "support/hedging_servers"
require "support/interruptions"
require "support/places"
require "support/schedulers/hosts"

module Trunkline
  # Which reads are sent to a second replica, how many of them, and what becomes of the other one.
  class HedgingTest < TestCase
    include Hosts::Threads
    include HedgingServers
    include FrozenServer

    BUDGET = Postgres.const_get(:HedgeBudget)
    private_constant :BUDGET

    def test_one_of_fifty_reads_and_a_hundred_saved_up
      budget = BUDGET.new
      refute budget.take
      sent = (1..5_000).count { budget.fill && budget.take }
      assert_equal 100, sent
      100_000.times { budget.fill }
      assert_equal 100, Array.new(1_000) { budget.take }.count(true)
      budget.give_back
      assert_equal [true, false], Array.new(2) { budget.take }
    end

    # The first 200 reads tell when one is late; then one of 50 may be sent again, though each is late.
    def test_none_is_sent_again_before_it_is_known_when_it_is_late_nor_more_than_two_of_a_hundred
      hedging do |db, proxies|
        reads = db.replica(hedge: true, fallback: false)
        times = reads.instance_variable_get(:@statements)[PORT].response_times
        100.times { reads.value(PORT) }
        assert_equal 100, times.count
        assert_equal 0, hedged(db).sum(&:first), "not enough of them"
        PROMPT.times { times << 0 }
        before = proxies.sum { |proxy| proxy.messages(:requests)["B"] }
        400.times { reads.value(PORT) }
        sent = hedged(db).sum(&:first)
        assert_includes 1..(500 / 50), sent
        assert_operator proxies.sum { |proxy| proxy.messages(:requests)["B"] } - before, :<=, 400 + sent + lag_queries(proxies)
      end
    end

    def test_without_hedge_none_is_sent_again
      hedging do |db,|
        late(db, PORT)
        50.times { db.replica.value(PORT) }
        assert_equal [[0, 0], [0, 0]], hedged(db)
      end
    end

    def test_batches_streams_transactions_and_futures_are_sent_once
      hedging do |db,|
        reads = late(db, PORT)
        reads.batch { |batch| batch.query(PORT) }
        reads.async(PORT).value
        with_long_connecting do
          reads.stream(PORT).to_a
          reads.transaction { |tx| tx.value(PORT) }
        end
        assert_equal [[0, 0], [0, 0]], hedged(db)
      end
    end

    def test_with_settings_and_options_of_a_scope
      hedging do |db, proxies, standbys|
        reads = late(db, PORT)
        proxies.first.hold(:answers)
        assert_equal standbys.last.port, first_to(0) { reads.with(deadline: 30).value(PORT) }
        proxies.first.release(:answers)
        assert_in_order(db)
        scope = reads.with(settings: { "app.tenant" => "7" })
        sql = "SELECT current_setting('app.tenant') || current_setting('port')"
        PROMPT.times { scope.instance_variable_get(:@statements)[sql].response_times << 0 }
        proxies.first.hold(:answers)
        assert_equal "7#{standbys.last.port}", first_to(0) { scope.value(sql) }
        proxies.first.release(:answers)
      end
    end

    # The second replica has not replayed the position, and refuses: the first one's answer is waited for.
    def test_the_second_read_carries_the_guard
      hedging do |db, proxies, standbys|
        pause(standbys.last)
        psql_on_primary("CREATE TABLE IF NOT EXISTS hedged_guard (number int)")
        position = db.position # before the wait, or else it may be behind what the first one has replayed
        replayed(ReplicaServers.shared.primary, standbys.first)
        reads = late(db, PORT, after: position)
        proxies.first.hold(:answers)
        seen = proxies.last.messages(:answers)["E"]
        reader = later { first_to(0) { reads.value(PORT) } }
        proxies.last.await_messages(:answers, "E", seen + 1)
        proxies.first.release(:answers)
        assert_equal standbys.first.port, reader.value
        assert_equal [[0, 0], [1, 0]], hedged(db)
      ensure
        resume(standbys.last)
      end
    end

    # Nothing is known of the statement, so it may take long: the server is asked at once to cancel it.
    def test_the_other_one_is_cancelled_where_it_runs_alone
      hedging do |db, proxies, standbys|
        waiting_on(standbys.first) do |sql, waiters|
          proxies.last.hold(:answers)
          reader = later { first_to(0) { late(db, sql).value(sql) } }
          assert(eventually { waiters.call == 1 }, "it runs")
          proxies.last.release(:answers)
          assert_equal standbys.last.port, reader.value
          assert(eventually { waiters.call.zero? }, "it was cancelled")
          assert_in_order(db)
        end
      end
    end

    # A short one is left to run, as it may end sooner than it could be cancelled; a later read ends it.
    def test_a_short_one_is_cancelled_by_a_later_read
      hedging do |db, _, standbys|
        sql_of(lock = 77_001)
        30.times { first_to(0) { db.replica(fallback: false).value(sql_of(lock)) } }
        waiting_on(standbys.first, lock) do |sql, waiters|
          reads = late(db, sql)
          assert_equal standbys.last.port, first_to(0) { reads.value(sql) }
          assert(eventually { first_to(1) { reads.value(sql) } && waiters.call.zero? }, "it was cancelled")
          assert_in_order(db)
        end
      end
    end

    # The interrupt comes once at each place where Ruby checks for interrupts.
    def test_a_thread_that_is_interrupted_wherever_it_can_be
      hedging do |db, proxies|
        accounts = HedgeAccounts.new(@set)
        places = Places.new
        proxies.each { |proxy| proxy.delay(:answers, 0.001) }
        reads = late(db, sql = "SELECT $1::int")
        number = 0
        with_long_connecting { nil while interrupted?(places) { assert_equal number += 1, reads.value(sql, number) } }
        assert_operator places.count, :>, 20
        proxies.each { |proxy| proxy.delay(:answers, 0.0) }
        assert_in_order(db)
        assert_empty accounts.waiting
        assert_includes 0..places.count / 10, accounts.lost
      end
    end

    # Kernel and connections are there, and no process answers.
    def test_a_frozen_standby
      with_own_replicas(silence: 60) do |db, _, standbys|
        @set = db.__send__(:readers).set
        assert_in_order(db)
        reads = late(db, PORT)
        frozen(standbys.first) do
          assert_equal standbys.last.port, first_to(0) { reads.value(PORT) }
          assert_equal [[0, 0], [1, 1]], hedged(db)
          20.times { assert_equal standbys.last.port, reads.value(PORT) }
        end
        assert(eventually { db.replica(fallback: false).value(PORT) == standbys.first.port }, "it is used again")
      end
    end

    def test_bad_arguments
      hedging do |db,|
        [nil, 1, "yes"].each { |bad| assert_match(/hedge must be true or false/, assert_raises(ArgumentError) { db.replica(hedge: bad) }.message) }
        assert_raises(ArgumentError) { db.replica(hedge: BasicObject.new) }
        assert_equal 1, db.replica(hedge: true) { |reads| reads.value("SELECT 1") }
      end
    end

    private

    # The one of each second, and of each replica.
    def lag_queries(proxies) = proxies.size * 60

    # @return [Boolean] whether there was a place at which it had not been interrupted before
    def interrupted?(places, &read) = Thread.new { places.interrupt(Interruptions::Cancelled, &read) }.value

    def psql_on_primary(sql) = ReplicaServers.shared.primary.psql(sql)
  end
end
