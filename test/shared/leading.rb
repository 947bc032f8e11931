# frozen_string_literal: true

require "support/narrow_sockets"
require "support/query_messages"
require "support/scripted_server"

module Shared
  # A caller that waits drives its connection, for itself and for the others. The test includes a host.
  module Leading
    include Gated
    include Interruptions
    include Leeway
    include Trunkline::QueryMessages

    # Each remaining caller gets its answer, in whatever order the others have gone. Those that go wait for a quarter of a second: so several clients do
    # at once.
    def test_every_selection_of_callers_may_leave
      leavers = (0..4).flat_map { |count| [0, 1, 2, 3].permutation(count).to_a }
      in_host do
        with_no_persistence do
          side_by_side(leavers.each_slice(CLIENT_ROUNDS)) do |rounds|
            behind_proxy { |db, proxy| rounds.each { |indices| assert_the_others_are_answered(db, proxy, indices) } }
          end
        end
      end
    end

    # A leader whose answer has come hands over; no caller waits for more than its own answer.
    def test_each_caller_goes_when_its_own_answer_has_come
      gated do |db, proxy|
        callers = in_flight(proxy, *askers(db, (1..5).to_a))
        callers.each_with_index do |caller, index|
          proxy.release(:answers, units: 1)
          assert_equal index + 1, caller.value
          refute callers[(index + 1)..].any?(&:done?)
        end
      end
    end

    def test_answers_in_single_bytes
      gated do |db, proxy|
        callers = in_flight(proxy, *askers(db, (1..5).to_a))
        proxy.split(:answers, 1)
        proxy.release(:answers)
        assert_equal (1..5).to_a, callers.map(&:value)
      end
    end

    def test_questions_in_single_bytes
      gated do |db, proxy|
        proxy.split(:requests, 1)
        assert_equal (1..10).to_a, (side_by_side(1..10) { |token| ask(db, token) })
      end
    end

    # A trunk is not read while no caller waits for its requests, until the next request comes.
    def test_a_query_behind_futures_that_no_caller_awaits
      gated do |db, proxy|
        proxy.hold(:answers)
        futures = Array.new(5) { |token| db.async("SELECT $1::int", token) }
        asker = later { ask(db, 6) }
        proxy.release(:answers)
        assert_equal 6, asker.value
        assert futures.all?(&:done?)
      end
    end

    def test_a_question_behind_callers_that_gave_up
      gated do |db, proxy|
        callers = in_flight(proxy, *askers(db, [1, 2, 3]))
        callers.each { |caller| caller.cancel(Cancelled.new) && caller.error }
        asker = later { ask(db, 4) }
        proxy.release(:answers)
        assert_equal 4, asker.value
      end
    end

    def test_a_future_leads_when_it_is_awaited
      gated do |db, proxy|
        proxy.hold(:answers)
        futures = Array.new(3) { |token| db.async("SELECT $1::int", token) }
        waiting = later { futures[1].value.value }
        proxy.release(:answers)
        assert_equal [1, 0, 2], [waiting.value, futures[0].value.value, futures[2].value.value]
      end
    end

    # Written at once, not when a caller waits.
    def test_a_future_is_sent_though_no_caller_waits
      gated do |db, proxy|
        before = proxy.messages(:requests)["S"]
        db.async("SELECT 1")
        proxy.await_messages(:requests, "S", before + 1)
      end
    end

    def test_a_large_question_behind_a_sleeping_leader
      gated do |db, proxy|
        leader, = in_flight(proxy, -> { ask(db, 1) })
        large = later { db.value("SELECT length($1::text)", "x" * 1_000_000) }
        proxy.release(:answers)
        assert_equal [1, 1_000_000], [leader.value, large.value]
      end
    end

    # The server takes no more requests until its answers are read, and there is room for a few in the sockets only.
    def test_callers_that_wait_to_write_read_too
      with_narrow_servers do |db|
        callers = Array.new(8) { later { Array.new(20) { [db.async("SELECT name"), db.async("SELECT name"), db.value("SELECT name")] } } }
        assert_equal [NARROW] * 8, callers.map { |caller| caller.value.flatten.map { |one| one.is_a?(String) ? one : one.value.value }.uniq }.flatten
      end
    end

    # No caller waits for an answer while these are sent.
    def test_futures_of_several_callers_where_answers_fill_the_sockets
      with_narrow_servers do |db|
        callers = Array.new(4) { later { Array.new(300) { db.async("SELECT name") } } }
        assert_equal [NARROW], callers.flat_map { |caller| caller.value.map { |future| future.value.value } }.uniq
      end
    end

    # The leader has its answer and goes while another caller waits to write, with what others have left for it to write.
    def test_a_leader_leaves_a_reader_to_a_caller_that_waits_to_write
      with_narrow_servers do |db, orders, heard|
        orders.push(:wait)
        leader = later { db.value("SELECT name") }
        heard.pop
        writer = later { db.async("SELECT name #{"-" * 200_000}") }
        assert(eventually { waits_to_write?(db) })
        futures = Array.new(900) { db.async("SELECT name") }
        orders.push(:go_on)
        assert_equal [NARROW] * 3, [leader.value, writer.value.value.value, futures.last.value.value]
      end
    end

    # The leader looks after the deadlines of the callers that sleep.
    def test_a_wait_for_a_future_ends_in_time_while_another_leads
      gated do |db, proxy|
        proxy.hold(:answers)
        leader = later { ask(db, 1) }
        future = db.async("SELECT 2")
        assert_equal [false, false], (side_by_side([0.001, 0.05]) { |seconds| future.wait(seconds) })
        refute_predicate leader, :done?
        proxy.release(:answers)
        assert_equal [1, 2], [leader.value, future.value.value]
      end
    end

    def test_a_timeout_around_a_query_is_its_callers_own
      gated do |db, proxy|
        callers = in_flight(proxy, *[1, 2, 3].map { |token| -> { token == 2 ? timed_out_after_sending(db, proxy) : ask(db, token) } })
        callers[1].value
        proxy.release(:answers)
        assert_equal [1, 3], [callers[0].value, callers[2].value]
      end
    end

    def test_an_idle_connection_that_the_server_closed_costs_no_caller_an_error
      gated(connections: 2, tcp: true) do |db, proxy|
        assert_equal (1..9).to_a, (side_by_side(1..9) { |token| ask(db, token) })
        3.times do
          proxy.disconnect
          assert_equal (1..9).to_a, (side_by_side(1..9) { |token| ask(db, token) })
        end
      end
    end

    def test_an_idle_session_that_the_server_ended_costs_no_caller_an_error
      name = unique_name
      gated(connections: 2, tcp: true, application_name: name) do |db, proxy|
        side_by_side(1..9) { |token| ask(db, token) }
        psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '#{name}'")
        assert eventually { proxy.connections.zero? }
        assert_equal (1..9).to_a, (side_by_side(1..9) { |token| ask(db, token) })
      end
    end

    # Each request in flight fails, once, and the next one finds a new connection.
    def test_a_connection_lost_under_many
      gated do |db, proxy|
        callers = in_flight(proxy, *askers(db, (1..20).to_a))
        proxy.disconnect
        assert_equal [Trunkline::Indeterminate], callers.map { |caller| caller.error.class }.uniq
        proxy.release(:answers)
        assert_equal 1, ask(db, 1)
      end
    end

    def test_a_connection_lost_in_the_middle_of_an_answer
      gated do |db, proxy|
        [1, 5, 20].each do |bytes|
          callers = in_flight(proxy, *askers(db, (1..5).to_a))
          proxy.cut(:answers, after: bytes)
          proxy.release(:answers)
          assert_equal [Trunkline::Indeterminate], callers.map { |caller| caller.error.class }.uniq, bytes
          assert_equal 1, ask(db, 1)
        end
      end
    end

    private

    NARROW = "x" * 500 # the server's answer to everything
    CLIENT_ROUNDS = 8 # rounds of a client where several have some
    private_constant :NARROW, :CLIENT_ROUNDS

    # Runs the block over a Unix socket, and over TCP, with a client whose socket, and the server's, take 4 KiB. The server answers one request after
    # the other, and does not read while it cannot write.
    #
    # @yieldparam db [Trunkline::Postgres::Client]
    # @yieldparam orders [Thread::Queue] :wait, before the next answer, for another order
    # @yieldparam heard [Thread::Queue] gets each order that is carried out
    def with_narrow_servers(&block)
      NarrowSockets.narrowed { [false, true].each { |tcp| in_host { with_narrow_server(tcp, &block) } } }
    end

    def with_narrow_server(tcp)
      orders, heard = Array.new(2) { Thread::Queue.new }
      Trunkline::ScriptedServer.open(->(peer) { answer_narrowly(peer, orders, heard) }, tcp: tcp, narrow: true) do |server|
        Trunkline.postgres("#{server.conninfo} user=me sslmode=disable pooler=session", connections: 1, max_connections: 2) do |db|
          db.value("SELECT name")
          yield db, orders, heard
        end
      end
    end

    def answer_narrowly(peer, orders, heard)
      peer.startup
      peer << (Trunkline::BackendMessages.authentication(0) + Trunkline::BackendMessages.session)
      types = []
      until (type, = peer.message).first == "X"
        types << type
        next unless type == "S"

        heard.push(orders.pop) && orders.pop unless orders.empty?
        peer << (types.include?("P") ? first_answer({ name: TEXT }, [NARROW]) : later_answer([NARROW]))
        types.clear
      end
    end

    # On a busy machine the time may be over before the query is sent: then it is tried again.
    def timed_out_after_sending(db, proxy)
      before = proxy.messages(:requests)["S"]
      assert_raises(Timeout::Error) { Timeout.timeout(0.02) { ask(db, 2) } } until proxy.messages(:requests)["S"] > before
    end

    def trunk_of(db) = db.instance_variable_get(:@pool).instance_variable_get(:@roster).trunks.first

    # Does a caller wait until the socket takes more? Before that, the next one that asks would.
    def waits_to_write?(db) = !trunk_of(db).instance_variable_get(:@writer).instance_variable_get(:@writer).nil?

    # A connection that was given up, as its server did not answer a cancel in time, is replaced first: a new one could not start while the
    # answers are held.
    def assert_the_others_are_answered(db, proxy, leavers)
      assert_equal 4, ask(db, 4)
      callers = in_flight(proxy, *askers(db, [0, 1, 2, 3]))
      leavers.each { |index| callers[index].cancel(Cancelled.new) }
      assert_equal [Cancelled], callers.values_at(*leavers).map { |caller| caller.error.class }.uniq unless leavers.empty?
      proxy.release(:answers)
      left = [0, 1, 2, 3] - leavers
      assert_equal left, callers.values_at(*left).map(&:value), "left in this order: #{leavers}"
    end
  end
end
