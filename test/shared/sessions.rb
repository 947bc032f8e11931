# frozen_string_literal: true

module Shared
  # Sessions: their holders, what goes to them, and callers that wait for one. The test includes a host.
  module Sessions
    include Gated
    include Interruptions
    include Leeway
    include Numbers

    PID = "SELECT pg_backend_pid()"
    # One at a time has it, until the end of a transaction.
    LOCK = "SELECT pg_advisory_xact_lock(4711)"
    private_constant :PID, :LOCK

    # One connection is held, whichever way it is asked for.
    def test_sessions_and_transactions_within_each_other
      in_host_with_client(connections: 1, max_connections: 2) do |db|
        db.session do |session|
          pid = session.value(PID)
          nested = [-> { db.value(PID) }, -> { db.session { |inner| inner.value(PID) } }, -> { db.transaction { |tx| tx.value(PID) } },
                    -> { session.transaction { db.transaction { db.session { |inner| inner.transaction { |tx| tx.value(PID) } } } } },
                    -> { db.async(PID).value.value }, -> { db.execute_script(PID).first.value }, -> { db.with(keys: :symbol).value(PID) }]
          assert_equal [pid], nested.map(&:call).uniq
        end
        assert_match(/pinned=0/, db.inspect)
      end
    end

    # Another caller's queries go elsewhere; those of a fiber that was started within go along, where Ruby tells.
    def test_queries_of_others_are_not_part_of_a_transaction
      with_numbers(max_connections: 3) do |db, table|
        db.transaction do |tx|
          add(tx, table, 1)
          assert_equal [handed_down? ? [1] : [], []], [later { numbers(db, table) }.value, Thread.new { numbers(db, table) }.value]
          assert_equal [1], later { numbers(tx, table) }.value
        end
      end
    end

    # What is asked with `next` runs in a fiber of its own, which is the asking fiber's.
    def test_a_query_in_an_enumerator_within_a_transaction
      with_numbers(connections: 2, max_connections: 3) do |db, table|
        db.transaction do |tx|
          add(tx, table, 1)
          assert_equal [1], Enumerator.new { |yielder| yielder << numbers(tx, table) }.next
          assert_equal [1], Enumerator.new { |yielder| yielder << numbers(db, table) }.next
        end
      end
    end

    # A fiber that ends later than the transaction it was started in has none.
    def test_a_fiber_that_outlives_the_transaction_it_was_started_in
      with_numbers do |db, table|
        over = Thread::Queue.new
        late = db.transaction { |tx| add(tx, table, 1) && later { over.pop && numbers(db, table) } }
        over << true
        assert_equal [1], late.value
      end
    end

    def test_a_session_that_another_uses_at_this_moment
      gated do |db, proxy|
        db.transaction do |tx|
          ask(tx, 1)
          first, = in_flight(proxy, -> { ask(tx, 2) })
          errors = [later { ask(tx, 3) }, later { tx.async("SELECT 4") }, later { tx.transaction { ask(tx, 5) } }].map(&:error)
          errors << Thread.new { assert_raises(Trunkline::Error) { ask(tx, 6) } }.value
          assert_equal [Trunkline::SharedStateError, false], errors.flat_map { |error| [error.class, error.sent?] }.uniq
          assert_match(/another fiber or thread uses the session/, errors.first.message)
          proxy.release(:answers)
          assert_equal [2, 7], [first.value, ask(tx, 7)]
        end
      end
    end

    # Savepoints end in the order in which they were begun, or it would be unclear what is to be undone.
    def test_savepoints_of_two_callers_in_one_transaction
      with_numbers do |db, table|
        assert_raises(Trunkline::Error) do
          db.transaction do |tx|
            add(tx, table, 1)
            begun, ended = Thread::Queue.new, Thread::Queue.new
            outer = later { tx.transaction { add(tx, table, 2) && begun.push(true) && ended.pop } }
            begun.pop
            tx.transaction { add(tx, table, 3) && ended.push(true) && assert_instance_of(Trunkline::SharedStateError, outer.error) }
          end
        end
        assert_empty numbers(db, table)
      end
    end

    def test_rollback_in_another_fiber_or_thread
      with_numbers do |db, table|
        db.transaction do |tx|
          add(tx, table, 1)
          assert_instance_of Trunkline::SharedStateError, later { tx.rollback }.error
        end
        assert_equal [1], numbers(db, table)
      end
    end

    # All but one connection are held: the next waits for so long, and is told which callers hold them.
    def test_a_session_that_is_not_given_back
      in_host_with_client(connections: 1, max_connections: 3, max_wait: 0.05) do |db|
        db.query("SELECT 1")
        db.session do |session|
          session.query("SELECT 1")
          held, ended = Thread::Queue.new, Thread::Queue.new
          other = Thread.new { db.transaction { |tx| tx.query("SELECT 1") && held.push(true) && ended.pop } }
          held.pop
          error = Thread.new { assert_raises(Trunkline::Overloaded) { db.session { |late| late.query("SELECT 1") } } }.value
          assert_match(/within 0.05 s \(max_wait\): 1 are shared, 2 held: 1 by .*sessions.rb:\d+ \(the first for \d+\.\d s\), 1 by .*sessions.rb:\d+/, error.message)
          assert_equal [1, false], [db.value("SELECT 1"), error.sent?]
          ended << true
          other.value
        end
      end
    end

    # A caller that shares finds a connection, however many hold one of their own.
    def test_sessions_leave_a_connection_to_share
      in_host_with_client(connections: 2, max_connections: 2) do |db|
        db.session do |session|
          session.query("SELECT 1")
          waiting = Thread.new { db.session { |late| late.value("SELECT 2") } }
          assert_equal [3, 4], [Thread.new { db.value("SELECT 3") }.value, session.value("SELECT 4")]
          assert_predicate waiting, :alive?
          @waiting = waiting
        end
        assert_equal 2, @waiting.value
      end
    end

    # What a transaction of shareable statements leaves needs no undoing.
    def test_a_session_is_set_back_where_it_may_hold_something
      gated do |db, proxy|
        db.transaction { |tx| ask(tx, 1) } # a new connection asks for its process
        harmless = [->(tx) { ask(tx, 1) }, ->(tx) { ask(tx, 1) && tx.rollback }]
        assert_equal [0, 0, 1], resets(db, proxy, transaction: [*harmless, ->(tx) { tx.query("SELECT pg_advisory_lock(1)") }])
        assert_equal [1, 2, 0], resets(db, proxy, session: [->(session) { ask(session, 1) }, ->(session) { session.execute_script("SELECT 1") }, ->(_) {}])
        assert_equal 0, db.value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
      end
    end

    def test_futures_that_a_session_does_not_await
      with_numbers do |db, table|
        future = db.session { |session| session.async("INSERT INTO #{table} VALUES (1), (2)") }
        assert_equal [2, [1, 2]], [future.value.affected_rows, numbers(db, table)]
      end
    end

    # More at once than a connection may have in flight: the next waits for room.
    def test_more_futures_in_a_session_than_go_at_once
      in_host_with_client(max_in_flight: 2) do |db|
        futures = db.transaction { |tx| Array.new(5) { |number| tx.async("SELECT $1::int", number) } }
        assert_equal [0, 1, 2, 3, 4], (futures.map { |future| future.value.value })
      end
    end

    # A caller that gives up one query may go on with the next.
    # With the statement the server has aborted a transaction.
    def test_a_session_continues_after_an_abandoned_query
      with_numbers do |db, table|
        assert_equal [:given_up, 1], (given_up(->(block) { db.session { |session| block.call(session, table) } }))
        assert_raises(Trunkline::InFailedSqlTransaction) { given_up(->(block) { db.transaction { |tx| block.call(tx, table) } }) }
        assert_equal [1], numbers(db, table)
      end
    end

    # The server ends the query that was left, and then the savepoint can be undone.
    def test_a_savepoint_that_is_left_in_the_middle_of_a_query
      with_numbers do |db, table|
        given_up(lambda do |block|
          db.transaction do |tx|
            add(tx, table, 1)
            begin
              tx.transaction { |savepoint| add(savepoint, table, 2) && savepoint.query("SELECT pg_sleep(1000) /* #{tag} */") && block }
            rescue Cancelled
              add(tx, table, 3)
            end
          end
        end)
        assert_equal [1, 3], numbers(db, table)
      end
    end

    private

    # Do fibers go along with the transaction that they were started in? Ruby hands storage down from 3.2 on.
    def handed_down? = Fiber.scheduler && RUBY_VERSION >= "3.2"

    # @return [Array<Integer>] simple queries that each of the blocks was followed by
    def resets(db, proxy, blocks)
      blocks.flat_map do |verb, each|
        each.map do |block|
          before = proxy.messages(:requests)["Q"]
          db.public_send(verb, &block)
          proxy.messages(:requests)["Q"] - before
        end
      end
    end

    # Runs the block as a caller that is cancelled in a query whose answer cannot have come before.
    def given_up(work)
      with_client do |other|
        caller = other.transaction do |tx|
          tx.query(LOCK)
          asking = later { work.call(->(client, table) { give_up_and_go_on(client, table) }) }
          assert eventually { waits_in_the_server? || asking.done? }
          with_much_leeway do
            asking.cancel(Cancelled.new)
            asking.tap(&:error) # nor could its answer come afterwards: the lock is held until the caller has ended
          end
        end
        caller.value
      end
    end

    # No other test's query: such a one may still end.
    def tag = "given up by #{object_id}"

    def waits_in_the_server?
      psql("SELECT 1 FROM pg_stat_activity WHERE wait_event IN ('advisory', 'PgSleep') AND query LIKE '%/* #{tag} */'").any?
    end

    def give_up_and_go_on(client, table)
      client.query("#{LOCK} /* #{tag} */")
    rescue Cancelled
      add(client, table, 1) && [:given_up, client.value("SELECT 1")]
    end
  end
end
