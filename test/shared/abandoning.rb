# frozen_string_literal: true

module Shared
  # Callers that are interrupted while the server works for them: it is asked to end that, and other callers do not wait for it. The test
  # includes a host.
  module Abandoning
    include Gated
    include Interruptions
    include Leeway

    # Several in line on each connection.
    def test_the_server_ends_what_many_callers_have_abandoned
      name = unique_name
      in_host_with_client(connections: 2, max_connections: 3, application_name: name) do |db|
        callers = Array.new(12) { later { db.query(ENDLESS) } }
        await_sleepers(name)
        with_much_leeway { interrupt_all(callers) } # each of two cancels is confirmed: the server rarely ignores both
        assert_no_query_runs(name, db)
        assert_equal 1, ask(db, 1)
        figures = db.stats
        assert_operator figures[:cancelled], :>=, 1
        assert_operator figures[:abandoned], :>=, 1
      end
    end

    # The server waits for the rest of it, which no caller would write: the connection took no transaction any more.
    def test_a_query_that_is_written_in_part
      gated do |db, proxy|
        10.times { db.value("SELECT length($1::text)", "x") } # a short one, over which the server is not asked to cancel
        large = stuck_in_the_middle(db, proxy)
        large.cancel(Cancelled.new)
        assert_instance_of Cancelled, large.error
        proxy.resume
        assert eventually { db.stats.values_at(:in_flight, :open) == [0, 0] }
        assert_equal 2, db.transaction { |tx| ask(tx, 2) }
      end
    end

    # A future stands before it, whose answer may yet be asked for. When that has come, the rest is not waited for either.
    def test_a_query_that_is_written_in_part_behind_a_future
      gated do |db, proxy|
        10.times { db.value("SELECT length($1::text)", "x") }
        proxy.hold(:answers)
        future = db.async("SELECT 1")
        large = stuck_in_the_middle(db, proxy)
        large.cancel(Cancelled.new)
        assert_instance_of Cancelled, large.error
        proxy.resume
        proxy.release(:answers)
        assert eventually { db.stats[:in_flight].zero? }
        assert_equal 1, future.value.value
      end
    end

    # A connection that is to end ends, too, with a future behind the query.
    def test_a_query_that_is_written_in_part_before_a_future
      gated do |db, proxy|
        10.times { db.value("SELECT length($1::text)", "x") }
        large = stuck_in_the_middle(db, proxy)
        future = later { db.async("SELECT 1") }
        assert eventually { db.stats[:in_flight] == 2 }
        [large, future].each { |caller| caller.cancel(Cancelled.new) }
        [large, future].each { |caller| assert_instance_of Cancelled, caller.error }
        db.disconnect
        proxy.resume
        assert eventually { db.stats.values_at(:in_flight, :open) == [0, 0] }
      end
    end

    # The connection is closed over both statements.
    def test_a_cancelled_future_before_what_is_abandoned
      name = unique_name
      gated(application_name: name) do |db, proxy|
        future = db.async(ENDLESS)
        interrupt_all(in_flight(proxy, -> { ask(db, 1) }))
        proxy.release(:answers)
        future.cancel
        assert_raises(Trunkline::Cancelled) { future.value }
        assert_no_query_runs(name, db)
        assert_equal 2, ask(db, 2)
      end
    end

    def test_the_server_ends_a_statement_alone_and_its_connection_is_kept
      name = unique_name
      in_host_with_client(connections: 1, application_name: name) do |db|
        pid = db.value("SELECT pg_backend_pid()")
        caller = later { db.query(ENDLESS) }
        await_sleepers(name)
        with_much_leeway { interrupt_all([caller]) }
        assert_equal [pid, 1, 0], [db.value("SELECT pg_backend_pid()"), *db.stats.values_at(:abandoned, :quarantined)]
      end
    end

    # The last caller that has its answer ends what is left.
    def test_what_is_abandoned_behind_another_ends_when_its_turn_has_come
      name = unique_name
      gated(application_name: name) do |db, proxy|
        first, abandoned = in_flight(proxy, -> { ask(db, 1) }, -> { db.query(ENDLESS) })
        interrupt_all([abandoned])
        await_sleepers(name)
        proxy.release(:answers)
        assert_equal 1, first.value
        assert_no_query_runs(name, db)
        assert_equal 2, ask(db, 2)
      end
    end

    def test_a_caller_behind_what_is_abandoned
      gated do |db, proxy|
        first, abandoned, last = in_flight(proxy, -> { ask(db, 1) }, -> { db.query(ENDLESS) }, -> { ask(db, 3) })
        interrupt_all([abandoned])
        proxy.release(:answers)
        assert_equal [1, 3, 4], [first.value, last.value, ask(db, 4)]
      end
    end

    # Of a statement that was cancelled a transaction is aborted.
    def test_the_next_statement_of_a_transaction_does_not_wait
      name = unique_name
      in_host_with_client(connections: 1, application_name: name) do |db|
        caller = later { db.transaction { |tx| go_on_after_interrupt(tx) } }
        await_sleepers(name)
        with_much_leeway do
          caller.cancel(Cancelled.new)
          assert_kind_of Trunkline::InFailedSqlTransaction, caller.error
        end
        assert_equal 1, ask(db, 1)
      end
    end

    def test_the_next_statement_of_a_transaction_does_not_wait_for_one_past_its_deadline
      in_host_with_client(connections: 1) do |db|
        caller = later { db.transaction { |tx| go_on_after_deadline(tx) } }
        with_much_leeway { assert_kind_of Trunkline::InFailedSqlTransaction, caller.error }
        assert_equal 1, ask(db, 1)
      end
    end

    private

    def go_on_after_deadline(transaction)
      ask(transaction, 1)
      late_after_sending { transaction.query(ENDLESS, deadline: 0.05) }
      transaction.query("SELECT 1")
    end

    def go_on_after_interrupt(transaction)
      transaction.query(ENDLESS)
    rescue Cancelled
      transaction.query("SELECT 1")
    end

    def interrupt_all(callers)
      callers.each { |caller| caller.cancel(Cancelled.new) }
      assert_equal [Cancelled], callers.map { |caller| caller.error.class }.uniq
    end

    def await_sleepers(name) = assert_waits(name, "PgSleep")
  end
end
