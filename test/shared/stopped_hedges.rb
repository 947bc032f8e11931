# frozen_string_literal: true

require "support/hedge_accounts"
require "support/hedging_servers"
require "support/stopped_callers"

module Shared
  # A read that may be sent to a second replica, whose caller is stopped at each place where it waits, in each way that there is, alone and beside
  # others: nothing of it stays in flight, each answer is its own caller's, and what the client counts is right. The test includes a host.
  module StoppedHedges
    include Trunkline::HedgingServers
    include StoppedCallers

    NUMBER = "SELECT $1::int"
    # Seconds that are longer than any test.
    NEVER = 10_000.0
    # Of callers that are stopped at random moments: a read is sent a second time only while the other replica has room, and on a busy machine it was not
    # in 60 rounds.
    ROUNDS = (60..1_000)
    private_constant :NUMBER, :NEVER, :ROUNDS

    def test_stopped_while_the_first_replica_is_connected_to
      sweep do |db, proxies, way|
        reads = late(db, NUMBER)
        proxies.each { |proxy| proxy.hold(:answers) && proxy.disconnect }
        before = proxies.first.messages(:requests)[:startup]
        stop(way, -> { first_to(0) { reads.value(NUMBER, 1) } }) { proxies.first.await_messages(:requests, :startup, before + 1) }
      end
    end

    def test_stopped_before_the_read_is_late
      beside_others do |db, proxies, way|
        reads = never_late(db)
        proxies.each { |proxy| proxy.hold(:answers) }
        stop(way, -> { first_to(0) { reads.value(NUMBER, 1) } }) { in_flight_at(db, proxies.first) }
      end
    end

    # No second replica can take it, and the client tries again and again.
    def test_stopped_while_no_second_replica_is_free
      beside_others do |db, proxies, way|
        reads = late(db, NUMBER)
        proxies.each { |proxy| proxy.hold(:answers) }
        proxies.last.refuse && proxies.last.disconnect
        stop(way, -> { first_to(0) { reads.value(NUMBER, 1) } }) { in_flight_at(db, proxies.first) }
        proxies.last.refuse(false)
      end
    end

    def test_stopped_while_the_read_is_written_to_the_first
      sweep do |db, proxies, way|
        reads = late(db, sql = "SELECT length($1::text)")
        proxies.first.stall
        proxies.last.hold(:answers)
        stop(way, -> { first_to(0) { reads.value(sql, "x" * 4_000_000) } })
      end
    end

    def test_stopped_while_the_read_is_written_to_the_second
      sweep do |db, proxies, way|
        reads = late(db, sql = "SELECT length($1::text)")
        proxies.first.hold(:answers)
        proxies.last.stall
        stop(way, -> { first_to(0) { reads.value(sql, "x" * 4_000_000) } }) { in_flight_at(db, proxies.first) }
      end
    end

    def test_stopped_while_both_have_the_read
      beside_others do |db, proxies, way|
        reads = late(db, NUMBER)
        proxies.each { |proxy| proxy.hold(:answers) }
        stop(way, -> { first_to(0) { reads.value(NUMBER, 1) } }) { in_flight_at(db, *proxies) }
      end
    end

    def test_stopped_after_one_of_both_was_lost
      [0, 1].permutation do |lost, other|
        sweep do |db, proxies, way|
          reads = late(db, NUMBER)
          proxies.each { |proxy| proxy.hold(:answers) }
          stop(way, -> { first_to(0) { reads.value(NUMBER, 1) } }) do
            in_flight_at(db, *proxies)
            proxies[lost].disconnect
            proxies[other].report
          end
        end
      end
    end

    # The second replica has answered. The first one executes the read, and the cancel request for that is not answered.
    def test_stopped_while_the_other_one_is_cancelled
      sweep do |db, proxies, way, standbys|
        waiting_on(standbys.first) do |sql|
          reads = late(db, sql)
          seen = proxies.first.connections
          stopped(way, -> { first_to(0) { reads.value(sql) } }) do
            in_flight_at(db, proxies.last)
            proxies.first.stall
            assert eventually { proxies.first.connections > seen || proxies.last.messages(:answers)["Z"].positive? }
          end
        end
      end
    end

    # The caller has its answer all the same.
    def test_a_cancel_request_that_is_refused
      hedging do |db, proxies, standbys|
        accounts = Trunkline::HedgeAccounts.new(@set)
        waiting_on(standbys.first) do |sql|
          reads = late(db, sql)
          proxies.first.refuse
          assert_equal standbys.last.port, first_to(0) { reads.value(sql) }
          proxies.first.refuse(false)
          assert_at_rest(db, accounts)
        end
      end
    end

    # Neither the answers that come after their callers have left, nor the interruptions of neighbours, are another's.
    def test_callers_that_are_stopped_at_random_moments
      hedging(connections: 2) do |db, proxies|
        accounts = Trunkline::HedgeAccounts.new(@set)
        random = Random.new(Minitest.seed)
        reads = late(db, NUMBER, fallback: true) # while neither replica could be connected to in time
        proxies.each { |proxy| proxy.delay(:answers, 0.002) }
        wrong = []
        callers = Array.new(6) { |number| endless(reads, number, wrong) }
        (0..ROUNDS.max).each do |round|
          break if round >= ROUNDS.min && hedged(db).sum(&:first).positive?

          proxies.sample(random: random).disconnect if (round % 20) == 19
          callers.reject(&:done?).sample(random: random).cancel(Cancelled.new)
          db.replica.value(NUMBER, round)
          callers << endless(reads, 10 + round, wrong)
        end
        callers.each { |caller| caller.cancel(Cancelled.new) }
        callers.each(&:error)
        proxies.each { |proxy| proxy.delay(:answers, 0.0) }
        assert_empty wrong
        assert_operator hedged(db).sum(&:first), :>, 0
        assert_at_rest(db, accounts, callers.size)
      end
    end

    private

    # One round for each way of being stopped, with one client.
    #
    # @yieldparam db [Trunkline::Postgres::Client]
    # @yieldparam proxies [Array<GateProxy>]
    # @yieldparam way [Symbol]
    # @yieldparam standbys [Array<Bench::PostgresServer>]
    def sweep(**options)
      hedging(**options) do |db, proxies, standbys|
        accounts = Trunkline::HedgeAccounts.new(@set)
        ways.each do |way|
          @arrived = proxies.to_h { |proxy| [proxy, proxy.messages(:requests)["S"]] }
          yield db, proxies, way, standbys
          proxies.each { |proxy| proxy.resume && proxy.release(:answers) }
          assert_at_rest(db, accounts)
        end
      end
    end

    # The same, alone and beside others whose reads come to the same connections, or wait for them, before the caller is stopped.
    def beside_others(&round)
      sweep(&round)
      sweep do |db, proxies, way, standbys|
        @neighbours = []
        round.call(db, proxies, way, standbys)
        proxies.each { |proxy| proxy.release(:answers) }
        assert_equal [100, 101], @neighbours.map(&:value)
      ensure
        @neighbours = nil
      end
    end

    # Waits until a unit has come in at each; then the others come, if there are any.
    def in_flight_at(db, *proxies)
      proxies.each { |proxy| proxy.await_messages(:requests, "S", @arrived[proxy] + 1) }
      2.times { |number| @neighbours << later { first_to(number) { db.replica.value(NUMBER, 100 + number) } } } if @neighbours
    end

    def never_late(db)
      late(db, NUMBER).tap do |reads|
        times = reads.instance_variable_get(:@statements)[NUMBER].response_times
        (times.count / 10).times { times << NEVER }
      end
    end

    # A caller that reads until it is stopped.
    def endless(reads, number, wrong)
      later do
        round = 0
        loop do
          asked = (number * 1_000_000) + (round += 1)
          got = reads.value(NUMBER, asked)
          wrong << [asked, got] unless got == asked
        end
      end
    end

    # @param unknown [Integer] reads whose callers were stopped while they sent the second one, at most
    def assert_at_rest(db, accounts, unknown = 1)
      assert_in_order(db)
      reads = late(db, NUMBER)
      assert_equal [7, 8], [0, 1].map { |first| first_to(first) { reads.value(NUMBER, 7 + first) } }
      assert_in_order(db)
      assert_empty accounts.waiting
      assert_includes 0..unknown, accounts.lost
      assert(hedged(db).all? { |sent, won| won <= sent })
    end
  end
end
