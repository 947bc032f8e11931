# frozen_string_literal: true

module Shared
  # Queries that are ended, and others on the same connection that never notice. The test includes a host.
  module Cancelling
    include Gated
    include Interruptions
    include Leeway

    # As short as a head can be that is worth cancelling.
    BRIEF = "SELECT pg_sleep(0.001)"

    def test_a_query_that_the_server_works_on
      in_host_with_client(connections: 1) do |db|
        future = db.async(ENDLESS)
        assert_equal [true, false], [future.cancel, future.cancel]
        error = assert_raises(Trunkline::Cancelled) { future.value }
        assert_equal [true, false, ENDLESS], [error.sent?, error.retriable?, error.sql]
        assert_equal 1, ask(db, 1)
      end
    end

    def test_a_query_that_is_answered_already
      in_host_with_client do |db|
        future = db.async("SELECT 1")
        future.wait
        assert_equal [false, 1], [future.cancel, future.value.value]
      end
    end

    # The neighbours are behind it already, and some come meanwhile.
    def test_neighbours_of_a_cancelled_query
      in_host_with_client(connections: 1, max_connections: 2) do |db|
        future = db.async(ENDLESS)
        behind = Array.new(10) { |number| db.async("SELECT $1::int", number) }
        waiting = (10...20).map { |number| later { ask(db, number) } }
        assert_equal true, future.cancel
        assert_equal [*0...20], behind.map { |one| one.value.value } + waiting.map(&:value)
        assert_raises(Trunkline::Cancelled) { future.value }
      end
    end

    def test_a_query_behind_others
      gated do |db, proxy|
        proxy.hold(:answers)
        head, victim, behind = Array.new(3) { |number| db.async("SELECT $1::int", number) }
        assert_equal true, victim.cancel
        proxy.release(:answers)
        assert_equal [0, 2], [head.value.value, behind.value.value]
        assert_raises(Trunkline::Cancelled) { victim.value }
      end
    end

    def test_a_query_that_has_not_been_sent
      behind_one_that_is_stuck do |db, insert|
        waiters = (1..5).map { |id| later { db.query(insert, id) } }
        waiters.each { |waiter| waiter.cancel(Cancelled.new) }.each { |waiter| assert_kind_of Cancelled, waiter.error }
      end
    end

    # The caller that waits for it gets the error.
    def test_a_cancelled_future_that_others_wait_for
      in_host_with_client(connections: 1) do |db|
        future = db.async(ENDLESS)
        waiting = Array.new(3) { later { future.value } }
        assert_equal true, future.cancel
        assert_equal [Trunkline::Cancelled], waiting.map { |waiter| waiter.error.class }.uniq
      end
    end

    def test_two_callers_that_cancel_the_same
      in_host_with_client(connections: 1) do |db|
        future = db.async(ENDLESS)
        side_by_side(1..3) { future.cancel }
        assert_raises(Trunkline::Cancelled) { future.value }
        assert_equal 1, ask(db, 1)
      end
    end

    # The cancel may come at any moment of the head's short life, or after it.
    def test_a_storm_of_cancels
      in_host_with_client(connections: 2, max_connections: 3) do |db|
        going = true
        neighbours = Array.new(8) { |number| later { ask_on(db, number) { going } } }
        outcomes = side_by_side(1..4) { Array.new(15) { cancelled?(db) } }.flatten
        going = false
        assert_equal [true], neighbours.map(&:value).uniq
        assert_equal 60, outcomes.size
      end
    end

    # A procedure may have committed before the cancel meets it: it is never exposed to one.
    def test_what_must_not_be_run_twice_is_not_hit
      with_table("id int") do |table|
        procedure = "#{table}_twice"
        psql("CREATE PROCEDURE #{procedure}() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO #{table} VALUES (1); COMMIT; PERFORM pg_sleep(0.05); END $$")
        in_host_with_client(connections: 1) do |db|
          head = db.async(BRIEF)
          call = db.async("CALL #{procedure}()")
          head.cancel
          call.value
          assert_equal 1, db.value("SELECT count(*) FROM #{table}")
        end
      ensure
        psql("DROP PROCEDURE #{procedure}")
      end
    end

    # The first one goes before the fence is answered, for the second stands before that.
    def test_one_after_the_other
      name = unique_name
      in_host_with_client(connections: 1, application_name: name) do |db|
        futures = [ENDLESS, ENDLESS, "SELECT 3"].map { |sql| db.async(sql) }
        waiting = later { futures.last.value.value }
        assert_equal true, futures.first.cancel
        futures[1].cancel # a second cancel of the first may have hit it
        assert_equal [3, 1], [waiting.value, ask(db, 1)]
        assert_no_query_runs(name)
      end
    end

    # Rolled back and given back, not closed, unless that takes longer than the client has time for.
    def test_a_transaction_whose_query_is_interrupted_keeps_its_connection
      name = unique_name
      in_host_with_client(connections: 1, application_name: name) do |db|
        kept = Array.new(3) do
          pid = nil
          victim = later { db.transaction { |tx| (pid = tx.value("SELECT pg_backend_pid()")) && tx.query(ENDLESS) } }
          assert eventually { psql("SELECT 1 FROM pg_stat_activity WHERE application_name = '#{name}' AND wait_event = 'PgSleep'").any? }
          with_much_leeway do
            victim.cancel(Cancelled.new)
            assert_kind_of Cancelled, victim.error
          end
          assert_equal pid, ask(db, pid)
          sessions(name).include?(pid)
        end
        assert_includes kept, true
      end
    end

    # The transaction's next statement waits for the fence in its place.
    def test_a_transaction_continues_where_the_fence_is_answered_after_its_canceller_has_gone
      gated do |db, proxy|
        db.transaction do |tx|
          pid = tx.value("SELECT pg_backend_pid()")
          proxy.hold(:answers)
          units = proxy.messages(:answers)["Z"]
          future = tx.async("SELECT 1", deadline: 0.2) until future && !future.done? # done: it was not sent in time
          proxy.await_messages(:answers, "Z", units + 1) # the cancel will hit nothing
          with_cancels_dealt_with { assert_raises(Trunkline::Deadline) { future.value } }
          proxy.release(:answers)
          assert_equal pid, tx.value("SELECT pg_backend_pid()")
        end
        assert_equal [true, 0], [db.stats[:cancelled].positive?, db.stats[:quarantined]]
      end
    end

    # What the cancel will hit is unknown: others take the connection's place.
    def test_one_that_is_stopped_while_it_cancels
      gated(connections: 1) do |db, proxy|
        future = db.async(ENDLESS)
        proxy.hold(:requests)
        canceller = later { future.cancel }
        proxy.await_messages(:requests, :cancel, 1)
        canceller.cancel(Cancelled.new)
        assert_kind_of Cancelled, canceller.error
        proxy.release(:requests)
        assert_equal [1, 1], [ask(db, 1), db.stats[:open]]
      ensure
        psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = '#{ENDLESS}'")
      end
    end

    # No answer comes that it could wait for, and the connection goes, before another takes its place.
    def test_one_that_is_stopped_while_it_cancels_and_another_waits_for_the_answer
      gated(connections: 1, max_connections: 1) do |db, proxy|
        future = db.async(ENDLESS)
        waiting = later { future.wait }
        proxy.hold(:requests)
        canceller = later { future.cancel }
        proxy.await_messages(:requests, :cancel, 1)
        canceller.cancel(Cancelled.new)
        assert_kind_of Cancelled, canceller.error
        assert_equal [true, 0], [waiting.value, db.stats[:open]]
        proxy.release(:requests)
        assert_equal [1, 1], [ask(db, 1), db.stats[:open]]
      ensure
        psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = '#{ENDLESS}'")
      end
    end

    # What has been begun is brought to its end, for the server would work on for no caller.
    def test_one_that_is_stopped_while_it_cancels_leaves_nothing_running
      name = unique_name
      gated(connections: 1, application_name: name) do |db, proxy|
        future = db.async(ENDLESS)
        waiting = later { future.wait }
        assert_waits(name, "PgSleep")
        proxy.hold(:requests)
        canceller = later { future.cancel }
        proxy.await_messages(:requests, :cancel, 1)
        canceller.cancel(Cancelled.new)
        proxy.release(:requests)
        assert_kind_of Cancelled, canceller.error
        waiting.value
        assert_no_query_runs(name)
        assert_equal 1, ask(db, 1)
      end
    end

    # The server has dealt with the cancel, and no caller is left that would read what it answers after that.
    def test_one_that_is_stopped_when_it_has_cancelled
      gated(connections: 1) do |db, proxy|
        units = proxy.messages(:requests)["S"]
        future = db.async(ENDLESS)
        proxy.hold(:answers)
        canceller = later { future.cancel }
        proxy.await_messages(:requests, "S", units + 2)
        canceller.cancel(Cancelled.new)
        assert_kind_of Cancelled, canceller.error
        proxy.release(:answers)
        assert_equal [1, 1], [ask(db, 1), db.stats[:open]]
      end
    end

    # What was lost would be sent again otherwise.
    def test_a_caller_that_has_cancelled_gets_no_result_of_another_try
      gated(connections: 1) do |db, proxy|
        future = db.async(ENDLESS, idempotent: true)
        proxy.hold(:requests)
        canceller = later { future.cancel }
        proxy.await_messages(:requests, :cancel, 1)
        proxy.disconnect
        proxy.release(:requests)
        assert_equal true, canceller.value
        assert_raises(Trunkline::Cancelled) { future.value }
      end
    end

    def test_a_server_that_takes_no_cancel
      gated(connections: 1) do |db, proxy|
        future = db.async("SELECT pg_sleep(0.3)")
        proxy.refuse
        assert_includes [true, false], future.cancel
        proxy.refuse(false)
        assert_equal 1, ask(db, 1)
      end
    end

    private

    # The server deals with each at once, whatever the load: none is sent.
    def with_cancels_dealt_with(&block)
      Trunkline::Postgres.const_get(:Cancel).stub(:deliver, ->(*, **, &dealt_with) { dealt_with.call }, &block)
    end

    # Cancels a head that has neighbours behind it already.
    #
    # @return [Boolean] whether it was cancelled; false: it has come to its end
    def cancelled?(db)
      future = db.async(BRIEF)
      behind = Array.new(5) { |number| db.async("SELECT $1::int", number) }
      ended = future.cancel
      assert_equal [*0...5], behind.map { |one| one.value.value }
      future.value
      refute ended
      false
    rescue Trunkline::Cancelled
      assert ended
      true
    end
  end
end
