# frozen_string_literal: true

module Shared
  # Callers behind a request that its caller has abandoned, which takes longer than was expected, or whose cancels the server ignores: they do not wait
  # for as long as it takes. The test includes a host.
  module AbandonedAhead
    include Gated
    include Interruptions
    include Leeway

    # As many cancels as a caller sends within its leeway, and more.
    IGNORED = 7

    def test_the_leader_sleeps_behind_a_short_statement_that_waits_for_a_lock
      with_a_locked_table do |db, proxy, name, short|
        first, abandoned, last = in_flight(proxy, -> { ask(db, 1) }, short, -> { ask(db, 3) })
        proxy.release(:answers)
        assert_equal 1, first.value
        interrupt_waiting(abandoned, name, "relation")
        assert_equal 3, last.value
      end
    end

    def test_the_next_leader_checks_when_a_short_statement_is_late
      with_a_locked_table do |db, proxy, name, short|
        abandoned, last = in_flight(proxy, short, -> { ask(db, 3) })
        proxy.release(:answers)
        interrupt_waiting(abandoned, name, "relation")
        assert_equal 3, last.value
      end
    end

    def test_a_short_statement_that_was_abandoned_before_its_turn_waits_for_a_lock
      with_a_locked_table do |db, proxy, _, short|
        first, abandoned, last = in_flight(proxy, -> { ask(db, 1) }, short, -> { ask(db, 3) })
        leave_request(abandoned)
        proxy.release(:answers)
        assert_equal [1, 3], [first.value, last.value]
      end
    end

    # No caller comes afterwards that would look.
    def test_a_short_statement_that_waits_for_a_lock_is_left_alone
      with_a_locked_table(max_connections: 1) do |db, proxy, name, short|
        abandoned, = in_flight(proxy, short)
        proxy.release(:answers)
        interrupt_waiting(abandoned, name, "relation")
        assert_no_query_runs(name, db)
        assert_equal 2, ask(db, 2)
      end
    end

    # The last caller that leaves has its answer.
    def test_a_short_statement_that_was_abandoned_before_its_turn_is_left_alone
      with_a_locked_table(max_connections: 1) do |db, proxy, name, short|
        first, abandoned = in_flight(proxy, -> { ask(db, 1) }, short)
        leave_request(abandoned)
        assert_waits(name, "relation")
        proxy.release(:answers)
        assert_equal 1, first.value
        assert_no_query_runs(name, db)
        assert_equal 2, ask(db, 2)
      end
    end

    # The transaction gets the connection for its own, and waits for what is in flight there.
    def test_a_transaction_gets_a_connection_that_is_held_up_by_a_short_statement
      with_a_locked_table(max_connections: 1) do |db, proxy, name, short|
        abandoned, = in_flight(proxy, short)
        proxy.release(:answers)
        interrupt_waiting(abandoned, name, "relation")
        assert_equal 2, db.transaction { |tx| ask(tx, 2) }
      end
    end

    # A future stands behind it, and is asked for after its caller has gone.
    def test_a_future_behind_a_short_statement_that_waits_for_a_lock
      with_a_locked_table(max_connections: 1) do |db, proxy, name, short|
        abandoned, = in_flight(proxy, short)
        future = db.async("SELECT $1::int", 3)
        proxy.release(:answers)
        interrupt_waiting(abandoned, name, "relation")
        assert_equal 3, future.value.value
      end
    end

    # A server whose process has not begun with a statement ignores its cancel, and that process may get no processor for longer than a caller's leeway.
    def test_the_leader_sleeps_and_the_server_ignores_cancels
      name = unique_name
      gated(application_name: name) do |db, proxy|
        first, abandoned, last = in_flight(proxy, -> { ask(db, 1) }, -> { db.query(ENDLESS) }, -> { ask(db, 3) })
        proxy.release(:answers)
        assert_equal 1, first.value
        with_cancels_ignored { interrupt_waiting(abandoned, name, "PgSleep") && assert_equal(3, last.value) }
      end
    end

    def test_the_next_leader_cancels_again_what_the_server_has_ignored
      name = unique_name
      gated(application_name: name) do |db, proxy|
        abandoned, last = in_flight(proxy, -> { db.query(ENDLESS) }, -> { ask(db, 3) })
        proxy.release(:answers)
        with_cancels_ignored { interrupt_waiting(abandoned, name, "PgSleep") && assert_equal(3, last.value) }
      end
    end

    # What such a cancel will hit is unknown, so the connection is replaced. Those behind the statement do not wait for its end all the same.
    def test_cancels_that_the_server_has_not_confirmed
      behind_unconfirmed_cancels do |proxy, first, abandoned, last, name|
        proxy.release(:answers)
        assert_equal 1, first.value
        interrupt_waiting(abandoned, name, "PgSleep")
        assert_equal 3, last.value
      end
    end

    def test_a_leaders_cancels_that_the_server_has_not_confirmed
      behind_unconfirmed_cancels do |proxy, first, abandoned, last|
        leave_request(abandoned)
        proxy.release(:answers)
        assert_equal [1, 3], [first.value, last.value]
      end
    end

    # The leader's cancel has put a fence behind a request that is written in part, and no caller is left.
    def test_a_fence_behind_a_query_that_is_written_in_part
      gated do |db, proxy|
        proxy.hold(:answers)
        future = db.async("SELECT 1")
        large = stuck_in_the_middle(db, proxy)
        leave_request(large)
        proxy.resume
        proxy.release(:answers)
        assert eventually { db.stats[:in_flight].zero? }
        assert_equal 1, future.value.value
        assert_equal 2, db.transaction { |tx| ask(tx, 2) }
      end
    end

    private

    # @yieldparam db [Client]
    # @yieldparam proxy [GateProxy]
    # @yieldparam name [String] of the client's sessions
    # @yieldparam short [Proc] asks what is known to be short, and waits for a lock
    def with_a_locked_table(**options)
      name = unique_name
      with_table("id int") do |table|
        gated(application_name: name, **options) do |db, proxy|
          short = -> { db.value("SELECT count(*) FROM #{table}") }
          KNOWN_AFTER.times { short.call }
          with_client { |other| other.transaction { |tx| tx.query("LOCK TABLE #{table}") && yield(db, proxy, name, short) } }
        end
      end
    end

    # @param event [String] what the server waits for in its statement
    def interrupt_waiting(caller, name, event)
      assert_waits(name, event)
      leave_request(caller)
    end

    def leave_request(caller)
      caller.cancel(Cancelled.new)
      assert_kind_of Cancelled, caller.error
    end

    def behind_unconfirmed_cancels
      name = unique_name
      gated(application_name: name, connections: 1, max_connections: 2) do |db, proxy|
        callers = in_flight(proxy, -> { ask(db, 1) }, -> { db.query(ENDLESS) }, -> { ask(db, 3) })
        unconfirmed = -> { raise Trunkline::ConnectionError.new("the server has not closed it in time", sent: true) }
        with_cancels(unconfirmed, count: IGNORED) { yield(proxy, *callers, name) }
        assert_equal 4, ask(db, 4)
      end
    end

    # The server hears of later ones only.
    def with_cancels_ignored(&block) = with_cancels(->(&dealt_with) { dealt_with&.call }, count: IGNORED, &block)

    # @param early [#call] is called in place of the first cancels, with their block
    def with_cancels(early, count:, &block)
      cancel = Trunkline::Postgres.const_get(:Cancel)
      heard = cancel.method(:deliver)
      sent = 0
      sending = lambda do |*session, **options, &dealt_with|
        (sent += 1) > count ? heard.call(*session, **options, &dealt_with) : early.call(&dealt_with)
      end
      with_much_persistence { cancel.stub(:deliver, sending, &block) }
    end
  end
end
