# frozen_string_literal: true

module Shared
  # Whoever waits, drives: for himself and for the others on his connection. The test includes a host.
  module Driving
    include Gated
    include Interruptions

    # Whoever is left gets his answer, whoever has gone and in whatever order.
    def test_every_selection_of_callers_may_leave
      gated do |db, proxy|
        leavers = (0..4).flat_map { |count| [0, 1, 2, 3].permutation(count).to_a }
        leavers.each { |indices| assert_the_others_are_answered(db, proxy, indices) }
      end
    end

    # A leader whose answer has come hands over; nobody waits for more than his own answer.
    def test_each_caller_goes_when_his_own_answer_has_come
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

    # Nobody reads a trunk whose requests nobody waits for, until the next comes.
    def test_a_question_behind_futures_that_nobody_asks_for
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

    def test_a_future_leads_when_it_is_asked
      gated do |db, proxy|
        proxy.hold(:answers)
        futures = Array.new(3) { |token| db.async("SELECT $1::int", token) }
        waiting = later { futures[1].value.value }
        proxy.release(:answers)
        assert_equal [1, 0, 2], [waiting.value, futures[0].value.value, futures[2].value.value]
      end
    end

    # Written at once, not when somebody waits.
    def test_a_future_is_sent_though_nobody_waits
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

    # The leader looks after the clocks of those who sleep.
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
        callers = in_flight(proxy, *[1, 2, 3].map do |token|
          -> { token == 2 ? assert_raises(Timeout::Error) { Timeout.timeout(0.02) { ask(db, 2) } } : ask(db, token) }
        end)
        callers[1].value
        proxy.release(:answers)
        assert_equal [1, 3], [callers[0].value, callers[2].value]
      end
    end

    def test_an_idle_connection_that_the_server_closed_costs_nobody_an_error
      gated(connections: 2, tcp: true) do |db, proxy|
        assert_equal (1..9).to_a, (side_by_side(1..9) { |token| ask(db, token) })
        3.times do
          proxy.disconnect
          assert_equal (1..9).to_a, (side_by_side(1..9) { |token| ask(db, token) })
        end
      end
    end

    def test_an_idle_session_that_the_server_ended_costs_nobody_an_error
      name = unique_name
      gated(connections: 2, tcp: true, application_name: name) do |db, proxy|
        side_by_side(1..9) { |token| ask(db, token) }
        psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '#{name}'")
        assert eventually { proxy.connections.zero? }
        assert_equal (1..9).to_a, (side_by_side(1..9) { |token| ask(db, token) })
      end
    end

    # Everybody who was in flight hears of it, once, and the next question finds a new connection.
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

    def assert_the_others_are_answered(db, proxy, leavers)
      callers = in_flight(proxy, *askers(db, [0, 1, 2, 3]))
      leavers.each { |index| callers[index].cancel(Cancelled.new) }
      assert_equal [Cancelled], callers.values_at(*leavers).map { |caller| caller.error.class }.uniq unless leavers.empty?
      proxy.release(:answers)
      left = [0, 1, 2, 3] - leavers
      assert_equal left, callers.values_at(*left).map(&:value), "left in this order: #{leavers}"
    end
  end
end
