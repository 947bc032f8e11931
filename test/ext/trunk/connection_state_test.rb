# frozen_string_literal: true

require "test_helper"
require "support/requests"

module Trunkline
  # The callers that are active on a connection, and the election of their leader.
  class ConnectionStateTest < TestCase
    include Requests

    def state_of(codec = self.codec) = ConnectionState.new(codec)

    def active(state, *requests) = requests.each { |one| state.enter(one) }

    def test_the_first_request_and_those_behind
      codec = self.codec
      state = state_of(codec)
      assert_equal true, state.enter(request)
      codec.submit(request)
      assert_equal true, state.enter(request)
      assert_equal 2, state.active
    end

    def test_one_leads_and_the_others_are_parked
      state = state_of
      one, two = active(state, request, request)
      assert_equal %i[leads parked], [state.lead(one), state.lead(two)]
      assert_equal [false, true, true], [one.parked?, two.parked?, state.led?]
    end

    def test_a_caller_that_has_an_answer_does_not_lead
      codec = self.codec
      state = state_of(codec)
      waiter = request
      codec.submit(waiter)
      finish(codec)
      assert_equal :answered, state.lead(waiter)
      refute_predicate state, :led?
    end

    def test_the_newest_of_the_parked_is_the_next_leader
      state = state_of
      leader, old, young = active(state, request, request, request)
      [leader, old, young].each { |one| state.lead(one) }
      assert_same young, state.leave(leader)
      refute_predicate young, :parked?
      assert_predicate state, :led?
      assert_equal :leads, state.lead(young)
      assert_same old, state.leave(young)
    end

    # On the clock of the process.
    def at(seconds) = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds

    def test_a_leader_rests_until_the_earliest_deadline
      state = state_of
      leader, patient, hasty = active(state, request, request.limit(90), request.limit(60))
      assert_equal %i[leads parked parked], [leader, patient, hasty].map { |one| state.lead(one) }
      assert_equal hasty.deadline, state.begin_sleep
    end

    def test_a_caller_with_less_time_than_a_resting_leader_reads_the_clock_itself
      state = state_of
      leader, patient, hasty = active(state, request.limit(60), request.limit(90), request.limit(30))
      state.lead(leader)
      state.begin_sleep
      assert_equal %i[parked parked], [state.lead(patient), state.lead(hasty)]
      assert_equal [nil, hasty.deadline], [state.sleeps_until(patient), state.sleeps_until(hasty)]
    end

    def test_no_caller_has_to_while_the_leader_is_awake
      state = state_of
      leader, hasty = active(state, request, request.limit(30))
      state.lead(leader)
      assert_nil state.begin_sleep
      state.end_sleep([])
      assert_equal [:parked, nil], [state.lead(hasty), state.sleeps_until(hasty)]
    end

    def test_whose_time_is_over_is_woken
      state = state_of
      late, kept, later = active(state, request, request.limit(60), request)
      state.lead(leader = active(state, request).first)
      [late, later].each { |one| one.wait_until = at(0) }
      [late, kept, later].each { |one| state.lead(one) }
      woken = []
      state.end_sleep(woken)
      assert_equal [[late, later], [false, true, false], kept.deadline],
                   [woken, [late, kept, later].map(&:parked?), state.begin_sleep]
      refute_predicate leader, :wait_over?
    end

    def test_no_other_caller_is_woken_while_the_next_leader_is_on_its_way
      state = state_of
      leader, other, next_leader = active(state, request, request, request)
      [leader, other, next_leader].each { |one| state.lead(one) }
      assert_same next_leader, state.leave(leader)
      assert_nil state.leave(other)
    end

    def test_a_next_leader_that_is_outrun_is_parked
      state = state_of
      leader, next_leader, quick = active(state, request, request, request)
      [leader, next_leader].each { |one| state.lead(one) }
      state.leave(leader)
      assert_equal %i[leads parked], [state.lead(quick), state.lead(next_leader)]
      assert_same next_leader, state.leave(quick)
    end

    def test_a_next_leader_that_leaves_wakes_another
      state = state_of
      leader, other, next_leader = active(state, request, request, request)
      [leader, other, next_leader].each { |one| state.lead(one) }
      state.leave(leader)
      assert_same other, state.leave(next_leader)
    end

    def test_the_last_one_leaves_no_caller_to_lead
      state = state_of
      waiter, = active(state, request)
      state.lead(waiter)
      assert_nil state.leave(waiter)
      assert_equal [0, false], [state.active, state.led?]
    end

    def test_a_caller_that_leaves_is_in_no_list
      state = state_of
      leader, parked = active(state, request, request)
      [leader, parked].each { |one| state.lead(one) }
      assert_nil state.leave(parked)
      refute_predicate parked, :parked?
      assert_nil state.leave(leader)
    end

    def test_a_caller_that_leaves_twice_leaves_once
      state = state_of
      waiter, = active(state, request)
      2.times { state.leave(waiter) }
      assert_equal 0, state.active
    end

    def test_callers_of_one_scheduler_at_a_time
      state = state_of
      mine, foreign = request, foreign_request
      state.enter(mine)
      assert_equal [true, false], [state.admits?(nil), state.admits?(foreign.scheduler)]
      assert_equal false, state.enter(foreign)
      state.leave(mine)
      assert_equal true, state.enter(foreign)
      assert_equal false, state.enter(mine)
    end

    # Futures: a caller of another scheduler is parked until the active callers have gone, and leads then.
    def test_a_caller_of_another_scheduler_that_waits_for_a_future_comes_last
      state = state_of
      leader, fellow = active(state, request, request)
      stranger = foreign_request
      [leader, fellow, stranger].each { |one| state.lead(one) }
      assert_equal 2, state.active
      assert_same fellow, state.leave(leader)
      assert_same stranger, state.leave(fellow)
      assert_equal :leads, state.lead(stranger)
    end

    def test_a_reserved_trunk_takes_only_pinned_requests
      state = state_of
      assert state.reserve
      refute state.reserve
      assert_equal false, state.enter(request)
      pinned = request.pin
      assert_equal true, state.enter(pinned)
      state.leave(pinned)
      state.release
      assert_equal true, state.enter(request)
      assert_equal false, state.enter(request.pin)
    end

    def test_a_trunk_in_use_is_not_reserved
      state = state_of
      state.enter(request)
      refute state.reserve
    end

    def test_inherited_by_a_child
      state = state_of
      refute_predicate state, :inherited?
      reader, writer = IO.pipe
      pid = fork { exit!(writer.write([state.inherited?, state.enter(request), state.admits?(nil), state.reserve].inspect).positive?) }
      writer.close
      Process.wait(pid)
      assert_equal "[true, false, false, false]", reader.read
    end

    def test_it_takes_nothing_but_codecs_and_requests
      assert_raises(TypeError) { ConnectionState.new(Object.new) }
      %i[enter lead leave].each { |verb| assert_raises(TypeError) { state_of.public_send(verb, Object.new) } }
    end
  end
end
