# frozen_string_literal: true

module Shared
  # What a client takes on at once is bounded, and a caller that asks for more waits, or is told. The test includes a host.
  module Limits
    include Gated

    def test_a_connection_has_no_more_requests_in_flight_than_it_may
      gated(max_in_flight: 5) do |db, proxy|
        callers = in_flight(proxy, *askers(db, (1..5).to_a))
        callers += Array.new(20) { |token| later { ask(db, token + 6) } }
        before = proxy.messages(:requests)["S"]
        20.times do |count|
          assert_equal before + count, proxy.messages(:requests)["S"]
          proxy.release(:answers, units: 1)
          proxy.await_messages(:requests, "S", before + count + 1)
        end
        proxy.release(:answers)
        assert_equal (1..25).to_a, callers.map(&:value).sort
      end
    end

    def test_callers_that_give_up_waiting_for_room
      gated(max_in_flight: 2) do |db, proxy|
        callers = in_flight(proxy, *askers(db, [1, 2]))
        callers += (3..12).map { |token| later { ask(db, token) } }
        leavers, stayers = callers.partition.with_index { |_, index| index.odd? }
        leavers.each { |caller| caller.cancel(Interruptions::Cancelled.new) }
        leavers.each(&:error)
        proxy.release(:answers)
        assert_equal [1, 3, 5, 7, 9, 11], stayers.map(&:value)
      end
    end

    # No other caller reads: this one does it for all, and when it goes the next one has to.
    def test_one_that_gives_up_making_room
      gated(max_in_flight: 3) do |db, proxy|
        proxy.hold(:answers)
        futures = (1..3).map { |token| db.async("SELECT $1::int", token) }
        callers = (4..7).map { |token| later { ask(db, token) } }
        callers[0].cancel(Interruptions::Cancelled.new)
        callers[0].error
        proxy.release(:answers)
        assert_equal [5, 6, 7], callers.drop(1).map(&:value)
        assert_equal [1, 2, 3], futures.map { |future| future.value.value }
      end
    end

    def test_nor_more_bytes
      gated(max_bytes_in_flight: 100_000) do |db, proxy|
        callers = in_flight(proxy, -> { length(db, 200_000) })
        before = proxy.messages(:requests)["S"]
        callers += Array.new(5) { later { length(db, 200_000) } }
        assert_equal before, proxy.messages(:requests)["S"]
        proxy.release(:answers)
        assert_equal [200_000] * 6, callers.map(&:value)
      end
    end

    # No caller waits for an answer, so the next to ask reads, and makes room.
    def test_more_futures_than_a_connection_may_have_in_flight
      in_host_with_client(connections: 1, max_in_flight: 5) do |db|
        futures = (1..50).map { |token| db.async("SELECT $1::int", token) }
        assert_equal (1..50).to_a, futures.map { |future| future.value.value }
      end
    end

    def test_a_caller_with_many_futures_waits_for_the_oldest
      gated(max_futures: 3) do |db, proxy|
        proxy.hold(:answers)
        before = proxy.messages(:requests)["S"]
        caller = later { (1..8).map { |token| db.async("SELECT $1::int", token) }.map { |future| future.value.value } }
        5.times do |count|
          proxy.await_messages(:requests, "S", before + count + 3)
          assert_equal before + count + 3, proxy.messages(:requests)["S"]
          proxy.release(:answers, units: 1)
        end
        proxy.release(:answers)
        assert_equal (1..8).to_a, caller.value
      end
    end

    def test_so_does_one_that_holds_a_session
      in_host_with_client(max_futures: 3) do |db|
        db.session { |session| assert_equal (1..50).to_a, (1..50).map { |token| session.async("SELECT $1::int", token) }.map { |one| one.value.value } }
      end
    end

    def test_more_callers_than_may_wait
      gated(max_in_flight: 1, max_waiting: 3) do |db, proxy|
        callers = in_flight(proxy, -> { ask(db, 0) })
        callers += Array.new(10) { |token| later { ask(db, token + 1) } }
        Thread.pass until callers.count(&:done?) == 7
        refused = callers.select(&:done?)
        assert_equal [[Trunkline::Overloaded, false, true]], refused.map { |caller| told(caller.error) }.uniq
        proxy.release(:answers)
        assert_equal 4, (callers - refused).map(&:value).uniq.size
        assert_equal 1, ask(db, 1)
      end
    end

    def test_more_callers_than_may_wait_for_a_connection_of_their_own
      gated(max_waiting: 1) do |db, proxy|
        db.session { ask(db, 0) }
        callers = in_flight(proxy, -> { db.session { ask(db, 0) } })
        callers += Array.new(4) { |token| later { db.session { ask(db, token + 1) } } }
        Thread.pass until callers.count(&:done?) == 3
        assert_equal [[Trunkline::Overloaded, false, true]], callers.select(&:done?).map { |caller| told(caller.error) }.uniq
        proxy.release(:answers)
        assert_equal 2, callers.count { |caller| caller.error.nil? }
      end
    end

    def test_a_caller_that_waits_for_longer_than_it_may
      gated(max_in_flight: 1, max_wait: 0.02) do |db, proxy|
        first, = in_flight(proxy, -> { ask(db, 1) })
        assert_equal [Trunkline::Overloaded, false, true], told(later { ask(db, 2) }.error)
        proxy.release(:answers)
        assert_equal [1, 3], [first.value, ask(db, 3)]
      end
    end

    # A caller that waits for a connection of its own is not in the way of those that share.
    def test_queries_pass_those_that_wait_for_a_session
      gated do |db, proxy|
        db.session { ask(db, 0) }
        holder, = in_flight(proxy, -> { db.session { |session| session.value("SELECT 1") } })
        waiting = later { db.session { |session| session.value("SELECT 2") } }
        asker = later { ask(db, 3) }
        proxy.release(:answers)
        assert_equal [1, 2, 3], [holder, waiting, asker].map(&:value)
      end
    end

    def test_a_message_that_is_longer_than_may_be
      in_host_with_client(connections: 1, max_message: 100_000) do |db|
        assert_equal 90_000, db.value("SELECT repeat('x', 90000)").size
        error = assert_raises(Trunkline::Error) { db.value("SELECT repeat('x', 100001)") }
        assert_match(/100000/, error.message)
        assert_equal 1, db.value("SELECT 1")
      end
    end

    # --- how long connections live ---

    def test_connections_that_have_lived_for_long_enough_are_replaced_unnoticed
      name = unique_name
      in_host_with_client(connections: 2, max_connections: 4, max_lifetime: 0.005, application_name: name) do |db|
        answers = side_by_side(1..20) { |token| Array.new(10) { db.value("SELECT pg_backend_pid() * 0 + $1::int", token) } }
        assert_equal (1..20).map { |token| [token] }, answers.map(&:uniq)
        pids = side_by_side(1..10) { Array.new(5) { db.transaction { |tx| tx.value("SELECT pg_backend_pid()") } } }.flatten
        assert_operator pids.uniq.size, :>, 4
        assert_session_count(name, 5)
      end
      assert_no_sessions(name)
    end

    def test_what_an_old_connection_has_in_flight_is_answered
      gated do |db, proxy|
        callers = in_flight(proxy, *askers(db, [1, 2, 3]))
        age(db)
        callers << later { ask(db, 4) }
        proxy.release(:answers)
        assert_equal [1, 2, 3, 4], callers.map(&:value)
      end
    end

    # No other caller reads them, and without room for another connection no caller could go on.
    def test_answers_that_no_caller_awaits_keep_no_connection
      in_host_with_client(connections: 1, max_connections: 2) do |db|
        4.times do |token|
          db.async("SELECT pg_sleep(0.01)")
          age(db)
          assert_equal token, ask(db, token)
        end
      end
    end

    private

    # Every connection has lived for long enough now.
    def age(db)
      db.instance_variable_get(:@pool).instance_variable_get(:@roster).trunks.each { |trunk| trunk.state.set_in_flight_limits(100, 1 << 20, 0) }
    end

    def length(db, size) = db.value("SELECT length($1::text)", "x" * size)

    def told(error) = [error.class, error.sent?, error.retriable?]
  end
end
