# frozen_string_literal: true

module Shared
  # Which callers drive, sleep and are woken, while callers come and go at the worst moments. The test includes a host of
  # fibers; after each test the schedulers that record misuse have none to tell of.
  module WakeUps
    include Gated
    include Interruptions

    # A wake-up for a fiber that has left would end whatever it waits for next.
    def test_the_answer_of_a_cancelled_caller_disturbs_none_of_its_later_waits
      WAITS.each do |kind|
        gated do |db, proxy|
          leader, victim = in_flight(proxy, -> { ask(db, 1) }, -> { wait_after_cancel(kind) { ask(db, 2) } })
          victim.cancel(Cancelled.new)
          proxy.release(:answers)
          assert_equal [1, true], [leader.value, victim.value], kind
          assert_equal 3, ask(db, 3)
        end
      end
    end

    def test_a_cancelled_caller_of_a_shared_future_takes_its_wake_up_with_it
      WAITS.each do |kind|
        gated do |db, proxy|
          proxy.hold(:answers)
          future = db.async("SELECT 1")
          victim = nil
          leader = later { future.value && victim.cancel(Cancelled.new) }
          victim = later { wait_after_cancel(kind) { future.value } }
          proxy.release(:answers)
          leader.value
          assert_includes [nil, true], victim.value, kind
        end
      end
    end

    # Woken, and then cancelled before its turn: the wake-up is still on its way.
    def test_a_caller_cancelled_after_it_was_woken_takes_its_wake_up_with_it
      WAITS.each do |kind|
        gated do |db, proxy|
          victim = nil
          _, victim = in_flight(proxy, -> { ask(db, 1) && victim.cancel(Cancelled.new) },
                                -> { wait_after_cancel(kind) { ask(db, 2) } })
          proxy.release(:answers)
          refute_equal false, victim.value, kind
          assert_equal 3, ask(db, 3)
        end
      end
    end

    def test_a_second_exception_while_the_wake_up_is_still_on_its_way
      WAITS.each do |kind|
        gated do |db, proxy|
          victim = nil
          cancelling = ->(token) { ask(db, token) && victim.cancel(Cancelled.new) }
          *, victim = in_flight(proxy, -> { cancelling.call(1) }, -> { cancelling.call(2) },
                                -> { wait_after_cancel(kind) { wait_after_cancel(kind) { ask(db, 3) } } })
          proxy.release(:answers)
          assert_includes [nil, true], victim.value, kind
          assert_equal 4, ask(db, 4)
        end
      end
    end

    # Woken, and its time is over before its turn: some schedulers let it go on at once, with the wake-up still on its way.
    def test_a_timeout_together_with_the_wake_up
      WAITS.each do |kind|
        gated do |db, proxy|
          proxy.hold(:answers)
          before = proxy.messages(:answers)["Z"]
          leader = later { ask(db, 1) && spin(0.1) }
          future = db.async("SELECT 2")
          victim = later { [future.wait(0.05), undisturbed?(kind)].last }
          proxy.await_messages(:answers, "Z", before + 2)
          proxy.release(:answers)
          leader.value
          assert victim.value, kind
        end
      end
    end

    # A caller that has received its wake-up waits for no other.
    def test_timed_waits_that_are_woken_lose_no_time
      gated do |db, _|
        times = Array.new(50) do |token|
          leader = later { ask(db, token) }
          start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          assert db.async("SELECT 2").wait(10)
          Process.clock_gettime(Process::CLOCK_MONOTONIC).tap { leader.value } - start
        end
        assert_operator times.min, :<, 0.1 # seconds; what each of them would lose, and not only those that come in a busy moment
      end
    end

    # The first to submit while the leader sleeps writes for all that come in the same turn.
    def test_a_cancelled_flusher_flushes
      gated do |db, proxy|
        leader, = in_flight(proxy, -> { ask(db, 1) })
        before = proxy.messages(:requests)["S"]
        flusher = later { ask(db, 2) }
        followers = askers(db, [3, 4]).map { |block| later(&block) }
        flusher.cancel(Cancelled.new)
        proxy.await_messages(:requests, "S", before + 3)
        proxy.release(:answers)
        assert_equal [1, 3, 4], [leader, *followers].map(&:value)
      end
    end

    def test_a_caller_cancelled_at_once_leaves_no_question_unsent
      gated do |db, proxy|
        in_flight(proxy, -> { ask(db, 1) })
        before = proxy.messages(:requests)["S"]
        callers = askers(db, [2, 3, 4, 5]).map { |block| later(&block) }
        callers.each { |caller| caller.cancel(Cancelled.new) }
        proxy.await_messages(:requests, "S", before + 4)
        proxy.release(:answers)
        assert_equal 6, ask(db, 6)
      end
    end

    # The leader is awake and lets the others have their turn; one of them leaves a query for the leader to write, and both go.
    def test_what_was_left_to_a_leader_that_leaves_is_sent
      gated do |db, proxy|
        callers = nil
        answered = lambda do
          ask(db, 2)
          later { ask(db, 4) }.cancel(Cancelled.new)
          callers[2].cancel(Cancelled.new)
        end
        callers = in_flight(proxy, -> { ask(db, 1) }, answered, -> { ask(db, 3) })
        before = proxy.messages(:requests)["S"]
        callers[0].cancel(Cancelled.new)
        proxy.release(:answers, units: 2)
        callers[1].value
        proxy.await_messages(:requests, "S", before + 1)
      end
    end

    # The leader is done, the newest of the sleepers was woken to lead, and goes before its turn.
    def test_a_successor_cancelled_between_its_wake_up_and_its_turn
      gated do |db, proxy|
        callers = nil
        callers = in_flight(proxy, -> { ask(db, 1) && callers[2].cancel(Cancelled.new) }, *askers(db, [2, 3]))
        assert_second_is_answered(proxy, *callers)
      end
    end

    def test_successors_cancelled_one_after_the_other
      gated do |db, proxy|
        callers = nil
        leader = -> { ask(db, 1) && callers[2..].reverse_each { |caller| caller.cancel(Cancelled.new) } }
        callers = in_flight(proxy, leader, *askers(db, [2, 3, 4, 5, 6]))
        assert_second_is_answered(proxy, *callers)
      end
    end

    private

    # The first gets its answer before all others.
    def assert_second_is_answered(proxy, first, second, *)
      proxy.release(:answers, units: 1)
      first.value
      proxy.release(:answers)
      assert_equal 2, second.value
    end

    # Keeps the scheduler from running for so many seconds.
    def spin(seconds)
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      nil until Process.clock_gettime(Process::CLOCK_MONOTONIC) - start > seconds
    end
  end
end
