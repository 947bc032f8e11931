# frozen_string_literal: true

module Shared
  # Queries that are ended, and neighbours who never notice. The test includes a host.
  module Cancelling
    include Gated
    include Interruptions
    include Leeway

    # A query that nobody would wait for.
    ENDLESS = "SELECT pg_sleep(1000)"
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
      with_table("id int") do |table|
        gated do |db, proxy|
          db.query("INSERT INTO #{table} VALUES ($1)", 0)
          large = stuck_in_the_middle(db, proxy)
          waiters = (1..5).map { |id| later { db.query("INSERT INTO #{table} VALUES ($1)", id) } }
          waiters.each { |waiter| waiter.cancel(Cancelled.new) && waiter.error }
          proxy.resume
          assert_equal [8_000_000, 6], [large.value, ask(db, 6)]
          assert_equal [[0]], db.query("SELECT id FROM #{table}").rows
        end
      end
    end

    # Whoever waits for it hears of it.
    def test_a_cancelled_future_that_others_wait_for
      in_host_with_client(connections: 1) do |db|
        future = db.async(ENDLESS)
        waiting = Array.new(3) { later { future.value } }
        assert_equal true, future.cancel
        assert_equal [Trunkline::Cancelled], waiting.map { |waiter| waiter.error.class }.uniq
      end
    end

    def test_two_who_cancel_the_same
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
        neighbours = Array.new(8) { |number| later { storm_neighbour(db, number) { going } } }
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
        assert_nobody_runs(name)
      end
    end

    # Long, though its statement has always been short: the server does not end it by itself.
    def test_a_deadline_of_a_short_statement_that_takes_long
      name = unique_name
      in_host_with_client(connections: 1, application_name: name) do |db|
        30.times { db.query("SELECT pg_sleep($1)", 0) }
        with_much_leeway { late_after_sending { db.query("SELECT pg_sleep($1)", 1000, deadline: 0.1) } }
        assert_equal 1, ask(db, 1)
        assert_nobody_runs(name)
      end
    end

    # Each finds the connection as another has left it who was late before.
    def test_deadlines_of_several_one_after_the_other
      name = unique_name
      in_host_with_client(connections: 1, prepare: false, application_name: name) do |db|
        with_much_leeway do
          side_by_side([0.2, 0.5, 0.5, 0.8]) { |seconds| assert_raises(Trunkline::Deadline) { db.query(ENDLESS, deadline: seconds) } }
        end
        assert_equal 1, ask(db, 1)
        assert_nobody_runs(name)
      end
    end

    def test_a_deadline_on_a_connection_that_is_to_end
      name = unique_name
      in_host_with_client(connections: 1, prepare: false, application_name: name) do |db|
        with_much_leeway do
          late = later { assert_raises(Trunkline::Deadline) { db.query(ENDLESS, deadline: 1) } }
          eventually { late.done? || somebody_runs?(name) }
          db.disconnect
          late.value
        end
        assert_equal 1, ask(db, 1)
        assert_nobody_runs(name)
      end
    end

    def test_a_deadline_of_a_statement_that_nobody_knows
      name = unique_name
      in_host_with_client(connections: 1, application_name: name) do |db|
        with_much_leeway { late_after_sending { db.query(ENDLESS, deadline: 0.1) } }
        assert_equal ["0", 1], [db.value("SHOW statement_timeout"), ask(db, 1)]
        assert_nobody_runs(name)
      end
    end

    # Nothing may stand before it in its unit, so the server is asked to end it.
    def test_a_deadline_of_a_statement_that_must_be_alone
      with_table("id int") do |table|
        in_host_with_client(connections: 2, max_connections: 4) do |db|
          2.times { assert_empty db.query("VACUUM #{table}", deadline: 60).rows }
          locked = Thread::Queue.new
          other = later { locked.pop && db.query("VACUUM #{table}", deadline: 0.1) }
          db.session do |session|
            session.query("BEGIN")
            session.query("LOCK TABLE #{table} IN ACCESS EXCLUSIVE MODE")
            locked << true
            assert_kind_of Trunkline::Deadline, other.error
            session.query("COMMIT")
          end
          assert_empty db.query("VACUUM #{table}").rows
        end
      end
    end

    # An earlier limit of the server's stays, and its end is not called a deadline.
    def test_a_limit_that_the_server_has_already
      in_host_with_client(connections: 1) do |db|
        db.session do |session|
          database, user = session.query("SELECT current_database(), current_user").rows.first
          psql("ALTER ROLE #{user} IN DATABASE #{database} SET statement_timeout = '50ms'")
          Trunkline.postgres(postgres_server.uri, connections: 1) do |limited|
            assert_equal "50ms", limited.value("SHOW statement_timeout", deadline: 60)
            assert_raises(Trunkline::QueryCanceled) { limited.query(ENDLESS, deadline: 60) }
          end
        ensure
          psql("ALTER ROLE #{user} IN DATABASE #{database} RESET statement_timeout")
        end
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
          victim.cancel(Cancelled.new)
          assert_kind_of Cancelled, victim.error
          assert_equal pid, ask(db, pid)
          sessions(name).include?(pid)
        end
        assert_includes kept, true
      end
    end

    def test_a_deadline_around_a_transaction
      with_table("id int") do |table|
        in_host_with_client(connections: 1) do |db|
          late_after_sending do
            Trunkline.deadline(0.2) { db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (1)") && tx.query(ENDLESS) } }
          end
          assert_equal [0, 1], [db.value("SELECT count(*) FROM #{table}"), (db.transaction { |tx| tx.value("SELECT 1") })]
        end
      end
    end

    # Nobody can tell what the cancel will hit: others take the connection's place.
    def test_one_who_is_stopped_while_he_cancels
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

    # The server has dealt with the cancel, and nobody is left who would see what it answers after that.
    def test_one_who_is_stopped_when_he_has_cancelled
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

    def assert_nobody_runs(name) = assert(eventually { !somebody_runs?(name) })

    def somebody_runs?(name) = !psql("SELECT 1 FROM pg_stat_activity WHERE application_name = '#{name}' AND state = 'active'").empty?

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

    def storm_neighbour(db, number)
      begin
        right = db.value("SELECT $1::int", number) == number
      end while right && yield
      right
    end
  end
end
