# frozen_string_literal: true

require "support/hedging_servers"
require "support/interruptions"

module Shared
  # Reads that are sent to a second replica as they are late. The test includes a host.
  module HedgedReads
    include Trunkline::HedgingServers
    include Interruptions

    def test_the_first_answer_is_the_callers
      hedging do |db, proxies, standbys|
        reads = late(db, PORT)
        2.times do |first|
          proxies[first].hold(:answers)
          assert_equal standbys[1 - first].port, first_to(first) { reads.value(PORT) }
          proxies[first].release(:answers)
          assert_in_order(db)
        end
        assert_equal [[1, 1], [1, 1]], hedged(db)
      end
    end

    def test_the_late_one_may_be_first_after_all
      hedging do |db, proxies, standbys|
        reads = late(db, PORT)
        proxies.each { |proxy| proxy.hold(:answers) }
        seen = proxies.map { |proxy| proxy.messages(:requests)["S"] }
        reader = later { first_to(0) { reads.value(PORT) } }
        proxies.zip(seen) { |proxy, before| proxy.await_messages(:requests, "S", before + 1) }
        proxies.first.release(:answers)
        assert_equal standbys.first.port, reader.value
        proxies.last.release(:answers)
        assert_in_order(db)
        assert_equal [[0, 0], [1, 0]], hedged(db)
      end
    end

    def test_an_error_of_the_server_is_an_answer
      hedging do |db, proxies|
        sql = "SELECT 1 / $1::int"
        reads = late(db, sql)
        proxies.first.hold(:answers)
        assert_raises(Trunkline::DivisionByZero) { first_to(0) { reads.value(sql, 0) } }
        proxies.first.release(:answers)
        assert_equal [[0, 0], [1, 1]], hedged(db)
        assert_in_order(db)
      end
    end

    # A replica that has stopped: its connections take nothing more, and a read would wait there until they are lost.
    def test_a_read_that_would_wait_for_a_connection_goes_to_the_other
      hedging do |db, proxies, standbys|
        reads = late(db, PORT)
        5.times { first_to(0) { db.replica.value(PORT) } }
        statement = reads.instance_variable_get(:@statements)[PORT]
        statement.response_times.then { |times| (times.count / 10).times { times << 1000 } }
        proxies.first.hold(:answers)
        seen = proxies.first.messages(:requests)["S"]
        stuck = later { first_to(0) { db.replica.value("SELECT 1") } }
        proxies.first.await_messages(:requests, "S", seen + 1)
        assert eventually { first_to(1) { db.replica.value("SELECT 1") } && would_wait?(@set.replicas.first, statement) }
        attempts = proxies.first.messages(:requests)[:startup]
        assert_equal standbys.last.port, first_to(0) { reads.value(PORT, deadline: 60) }
        assert_equal attempts, proxies.first.messages(:requests)[:startup], "no further connection was tried"
        assert_equal [[0, 0], [0, 0]], hedged(db), "it was sent once"
        proxies.first.release(:answers)
        assert_equal 1, stuck.value
        assert_in_order(db)
      end
    end

    # The caller waits for the second replica, which takes nothing, and reads from the first in intervals that grow: in those alone, the read would be
    # written in some minutes. For a while the first one takes nothing either.
    def test_the_rest_of_a_large_read_is_written_to_the_first
      hedging do |db, proxies|
        reads = late(db, sql = "SELECT length($1::text)")
        @set.pools.first.trunks.first.io.setsockopt(:SOCKET, :SNDBUF, 4608)
        proxies.each(&:stall)
        begun = Trunkline.const_get(:Waiting).now
        reader = later { first_to(0) { reads.value(sql, "x" * 5_000_000) } }
        assert eventually { Trunkline.const_get(:Waiting).now - begun > 2 }
        proxies.first.resume
        proxies.first.await { |seen| seen.fetch(:requests).bytes > 5_000_000 }
        proxies.last.resume
        assert_equal 5_000_000, reader.value
        assert_in_order(db)
      end
    end

    def test_a_lost_replica_leaves_it_to_the_other
      hedging do |db, proxies, standbys|
        reads = late(db, PORT)
        [0, 1].permutation do |lost, other|
          reader, = both_wait(proxies, reads)
          proxies[lost].disconnect
          proxies[other].release(:answers)
          assert_equal standbys[other].port, reader.value
          proxies[lost].release(:answers)
          assert_in_order(db)
        end
      end
    end

    def test_where_both_are_lost_it_is_sent_again
      hedging do |db, proxies, standbys|
        reads = late(db, PORT, fallback: true)
        reader, = both_wait(proxies, reads)
        proxies.each { |proxy| proxy.release(:answers) if proxy.disconnect }
        refute_includes standbys.map(&:port), reader.value, "to the primary, as both were asked"
        assert_in_order(db)
      end
    end

    def test_a_deadline_ends_both
      hedging do |db, proxies|
        reads = late(db, PORT)
        begin # until it was with both: on a busy machine its deadline may pass before
          proxies.each { |proxy| proxy.hold(:answers) }
          assert_raises(Trunkline::Deadline) { first_to(0) { reads.value(PORT, deadline: 0.8) } }
          proxies.each { |proxy| proxy.release(:answers) }
          assert_in_order(db)
        end until hedged(db).sum(&:first).positive?
        assert_equal [[0, 0], [1, 0]], hedged(db)
      end
    end

    def test_a_caller_that_is_stopped_leaves_nothing_behind
      hedging do |db, proxies|
        reads = late(db, PORT)
        2.times do
          reader, waiting = both_wait(proxies, reads)
          waiting.call
          reader.cancel(Cancelled.new)
          assert_instance_of Cancelled, reader.error
          proxies.each { |proxy| proxy.release(:answers) }
          assert_in_order(db)
        end
      end
    end

    def test_a_client_that_is_closed
      hedging do |db, proxies|
        reader, = both_wait(proxies, late(db, PORT))
        db.close
        assert_instance_of Trunkline::Closed, reader.error
        assert_equal 0, db.connection_count
      end
    end

    # Each has its own answer, whichever server gave it.
    def test_many_callers
      hedging(connections: 2) do |db, proxies|
        sql = "SELECT $1::int"
        reads = late(db, sql)
        rounds_of_many(db, reads, sql, proxies)
        proxies.each { |proxy| proxy.delay(:answers, 0.0) }
        assert_in_order(db)
        assert_operator hedged(db).sum(&:first), :>, 0
      end
    end

    private

    # Five rounds, and up to eight with longer and longer delays, until a read was sent a second time: on a busy machine earlier reads may have taken as
    # long as the first delay.
    def rounds_of_many(db, reads, sql, proxies)
      delay = 0.002
      (0..12).each do |round|
        proxies.each { |proxy| proxy.delay(:answers, delay) }
        numbers = (1..8).map { |number| (10 * round) + number }
        assert_equal numbers, side_by_side(numbers) { |number| reads.value(sql, number) }
        next if round < 4
        break if hedged(db).sum(&:first).positive?

        delay *= 2
      end
    end

    # @return [Array(Caller, Proc)] a caller whose read is on its way to both; and what waits until it sleeps
    def both_wait(proxies, reads)
      proxies.each { |proxy| proxy.hold(:answers) }
      seen = proxies.map { |proxy| proxy.messages(:requests)["S"] }
      reader = later { first_to(0) { reads.value(PORT) } }
      proxies.zip(seen) { |proxy, before| proxy.await_messages(:requests, "S", before + 1) }
      [reader, -> { Thread.pass until Fiber.scheduler || reader.body.stop? }]
    end
  end
end
