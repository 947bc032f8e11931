# frozen_string_literal: true

module Shared
  # Queries that would be held up where they went. The test includes a host.
  module Dispatching
    include Gated

    def test_while_every_connection_is_held_up_short_queries_wait_for_whichever_is_free_first
      gated(connections: 2) do |db, proxy|
        both_opened(db)
        proxy.hold(:answers)
        sent = proxy.messages(:requests)["S"] + 2
        callers = (1..2).map { |token| later { ask(db, token) }.tap { await_late(db, token) } }
        proxy.await_messages(:requests, "S", sent) # which are late before they come in, if the proxy has not run meanwhile
        callers += (3..6).map { |token| later { ask(db, token) } }
        Thread.pass until db.stats[:queue][:to_share] == 4
        assert_equal sent, proxy.messages(:requests)["S"]
        proxy.release(:answers)
        assert_equal (1..6).to_a, callers.map(&:value)
      end
    end

    def test_a_caller_that_gives_up_waiting_for_one_delays_no_other
      gated(connections: 2) do |db, proxy|
        both_opened(db)
        proxy.hold(:answers)
        callers = (1..2).map { |token| later { ask(db, token) }.tap { await_late(db, token) } }
        callers += (3..8).map { |token| later { ask(db, token) } }
        Thread.pass until db.stats[:queue][:to_share] == 6
        callers.values_at(2, 4, 6).each { |caller| caller.cancel(Interruptions::Cancelled.new) }.each(&:error)
        proxy.release(:answers)
        assert_equal [1, 2, 4, 6, 8], callers.values_at(0, 1, 3, 5, 7).map(&:value)
      end
    end

    # No caller waits for the future, and it would have taken the next query's answer with it.
    def test_a_short_query_has_a_connection_opened_where_all_are_held_up
      beside_one_held_up { |db| assert_equal [1, 2], [ask(db, 1), db.stats[:opened]] }
    end

    def test_so_do_those_of_one_that_does_not_wait
      beside_one_held_up do |db|
        assert_equal (1..20).to_a, (1..20).map { |token| db.async("SELECT $1::int", token) }.map { |one| one.value.value }
      end
    end

    # Callers that have gone, and futures, leave answers that no caller reads. They keep no connection from a transaction, or from being idle.
    def test_connections_whose_answers_lie_unread_are_idle
      in_host_with_client(connections: 2, max_connections: 2) do |db|
        both_opened(db)
        db.async("SELECT 1") until trunks(db).none? { |trunk| trunk.codec.idle? }
        assert_equal 1, db.transaction { |transaction| transaction.value("SELECT 1") }
        assert(eventually { db.stats.values_at(:busy, :in_flight) == [0, 0] })
      end
    end

    # No caller asks for the answers, and none asks anything else meanwhile: the one that waits finds out that these are complete.
    def test_complete_answers_that_no_caller_awaits_free_a_long_query
      behind_unread_answers { |db| assert_equal 1, db.query(NAP).size }
    end

    def test_complete_answers_that_no_caller_awaits_free_a_transaction
      behind_unread_answers { |db| assert_equal 1, db.transaction { |transaction| ask(transaction, 1) } }
    end

    # None of the connections is drained for it, as the other transaction will return its own.
    def test_complete_answers_that_no_caller_reads_free_a_transaction_beside_another
      begun, finish = Array.new(2) { Thread::Queue.new }
      other = nil
      hold = ->(db) { (other = later { db.transaction { |transaction| begun.push(ask(transaction, 0)) && finish.pop } }) && begun.pop }
      behind_unread_answers(hold, ->(db) { db.stats[:queue][:to_pin] == 1 }) do |db|
        began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        assert_equal 1, db.transaction { |transaction| ask(transaction, 1) }
        assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - began, :<, 30, "it has waited for max_wait, a minute"
        finish.close
        other.value
      end
    end

    # Each caller asks again as soon as it has its answer, and would keep its connection for ever. On a busy machine a server process may not run while the others
    # answer ninety.
    def test_of_those_that_wait_with_long_queries_each_has_its_turn
      among_sleepers(6) do |turns, callers, db|
        ask(db, 1) until turns.min >= 5 || turns.sum >= MANY_TURNS
        callers.each { |caller| caller.cancel(Interruptions::Cancelled.new) }.each(&:error)
        assert_operator turns.min, :>=, 5, turns.inspect
      end
    end

    def test_a_caller_that_leaves_the_queue_leaves_its_connection_to_others
      among_sleepers(8) do |_turns, callers, db|
        callers.each do |leaving|
          3.times { ask(db, 1) }
          leaving.cancel(Interruptions::Cancelled.new)
        end
        callers.each(&:error)
        assert_equal [0] * trunks(db).size, trunks(db).map(&:active)
        assert_equal trunks(db).count { |trunk| trunk.codec.idle? }, dispatcher(db).idle_count
      end
    end

    private

    NAP = "SELECT pg_sleep(0.003)"
    MANY_TURNS = 3000
    private_constant :NAP, :MANY_TURNS

    # Callers whose queries sleep on the server again and again, more than there are connections.
    #
    # @yieldparam turns [Array<Integer>] how often each has
    # @yieldparam callers
    # @yieldparam db [Trunkline::Postgres::Client]
    def among_sleepers(count)
      in_host_with_client(connections: 2, max_connections: 4) do |db|
        10.times { db.query(NAP) }
        turns = [0] * count
        callers = Array.new(count) do |number|
          later do
            loop do
              db.query(NAP)
              turns[number] += 1
            end
          end
        end
        yield turns, callers, db
      end
    end

    # No caller waits for the slow query there.
    #
    # @yieldparam db [Trunkline::Postgres::Client]
    def beside_one_held_up
      in_host_with_client(connections: 1, max_connections: 3) do |db|
        future = db.async(ENDLESS)
        await_late(db, 1)
        yield db
        assert_equal true, future.cancel
      end
    end

    # Each connection has a future's answer to come, which comes when the caller of the block waits.
    #
    # @param before [#call] gets the client first
    # @param waiting [#call] returns whether the caller waits
    def behind_unread_answers(before = nil, waiting = method(:waits?))
      gated(connections: 3, max_connections: 3) do |db, proxy|
        10.times { db.query(NAP) }
        open_three(db)
        before&.call(db)
        proxy.hold(:answers)
        futures = [] # of a statement each: where one has become a long one on a busy machine, it leaves the last idle connection to short ones
        futures << db.async("SELECT $1::int AS n#{futures.size}", futures.size) while roster(db).any_spare? || trunks(db).any? { |trunk| trunk.codec.idle? }
        caller = later { yield db }
        assert(eventually { waiting.call(db) })
        proxy.release(:answers)
        caller.value
        assert_equal [*0...futures.size], futures.map { |future| future.value.value }
      end
    end

    # Two transactions at the same time have connections of their own beside the shared one, however slowly their callers begin.
    def open_three(db)
      asked, finish = Array.new(2) { Thread::Queue.new }
      holders = Array.new(2) { later { db.transaction { |transaction| asked.push(ask(transaction, 0)) && finish.pop } } }
      2.times { asked.pop }
      finish.close
      holders.each(&:value)
      assert_equal 3, db.stats[:open]
    end

    # Has a caller come that waits, in line, on a connection of its own until that is answered, or on one whose answers it reads?
    def waits?(db)
      db.stats[:queue][:to_share].positive? || db.stats[:pinned].positive? || trunks(db).any? { |trunk| trunk.active.positive? }
    end

    def both_opened(db)
      future = db.async("SELECT $1::int", 0)
      ask(db, 0)
      future.value
      assert_equal 2, db.stats[:shared]
    end

    # Waits until so many connections' servers take longer than was expected of them.
    def await_late(db, count)
      trunks = trunks(db)
      Thread.pass until trunks.count { |trunk| trunk.state.behind_estimate? } == count
    end

    def roster(db) = db.instance_variable_get(:@pool).instance_variable_get(:@roster)
    def trunks(db) = roster(db).trunks
    def dispatcher(db) = roster(db).dispatcher
  end
end
