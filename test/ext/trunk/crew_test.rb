# frozen_string_literal: true

require "test_helper"
require "support/requests"

module Trunkline
  # Who is aboard a trunk, who leads and who comes next.
  class CrewTest < TestCase
    include Requests

    def crew_of(codec = self.codec) = Crew.new(codec)

    def aboard(crew, *requests) = requests.each { |one| crew.enter(one) }

    def test_the_first_to_ask_and_those_behind
      codec = self.codec
      crew = crew_of(codec)
      assert_equal :first, crew.enter(request)
      codec.submit(request)
      assert_equal :later, crew.enter(request)
      assert_equal 2, crew.aboard
    end

    def test_one_leads_and_the_others_are_parked
      crew = crew_of
      one, two = aboard(crew, request, request)
      assert_equal [true, false], [crew.lead(one), crew.lead(two)]
      assert_equal [false, true, true], [one.parked?, two.parked?, crew.led?]
    end

    def test_who_has_an_answer_does_not_lead
      codec = self.codec
      crew = crew_of(codec)
      waiter = request
      codec.submit(waiter)
      finish(codec)
      assert_nil crew.lead(waiter)
      refute_predicate crew, :led?
    end

    def test_the_newest_of_the_parked_is_the_heir
      crew = crew_of
      leader, old, young = aboard(crew, request, request, request)
      [leader, old, young].each { |one| crew.lead(one) }
      assert_same young, crew.leave(leader)
      refute_predicate young, :parked?
      assert_predicate crew, :led?
      assert_equal true, crew.lead(young)
      assert_same old, crew.leave(young)
    end

    # On the clock of the process.
    def at(seconds) = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds

    def test_a_leader_rests_until_the_earliest_deadline
      crew = crew_of
      leader, patient, hasty = aboard(crew, request, request.limit(90), request.limit(60))
      assert_equal [true, false, false], [leader, patient, hasty].map { |one| crew.lead(one) }
      assert_equal hasty.deadline, crew.rest
    end

    def test_who_has_less_time_than_a_resting_leader_looks_at_the_clock_himself
      crew = crew_of
      leader, patient, hasty = aboard(crew, request.limit(60), request.limit(90), request.limit(30))
      crew.lead(leader)
      crew.rest
      assert_equal [false, hasty.deadline], [crew.lead(patient), crew.lead(hasty)]
    end

    def test_nobody_has_to_while_the_leader_is_awake
      crew = crew_of
      leader, hasty = aboard(crew, request, request.limit(30))
      crew.lead(leader)
      assert_nil crew.rest
      crew.rise([])
      assert_equal false, crew.lead(hasty)
    end

    def test_whose_time_is_over_is_woken
      crew = crew_of
      late, kept, later = aboard(crew, request, request.limit(60), request)
      crew.lead(leader = aboard(crew, request).first)
      [late, later].each { |one| one.patience = at(0) }
      [late, kept, later].each { |one| crew.lead(one) }
      woken = []
      crew.rise(woken)
      assert_equal [[late, later], [false, true, false], kept.deadline],
                   [woken, [late, kept, later].map(&:parked?), crew.rest]
      refute_predicate leader, :late?
    end

    def test_nobody_else_is_called_while_an_heir_is_on_his_way
      crew = crew_of
      leader, other, heir = aboard(crew, request, request, request)
      [leader, other, heir].each { |one| crew.lead(one) }
      assert_same heir, crew.leave(leader)
      assert_nil crew.leave(other)
    end

    def test_an_heir_who_is_outrun_is_parked
      crew = crew_of
      leader, heir, quick = aboard(crew, request, request, request)
      [leader, heir].each { |one| crew.lead(one) }
      crew.leave(leader)
      assert_equal [true, false], [crew.lead(quick), crew.lead(heir)]
      assert_same heir, crew.leave(quick)
    end

    def test_an_heir_who_leaves_calls_the_next
      crew = crew_of
      leader, other, heir = aboard(crew, request, request, request)
      [leader, other, heir].each { |one| crew.lead(one) }
      crew.leave(leader)
      assert_same other, crew.leave(heir)
    end

    def test_the_last_one_leaves_nobody_to_lead
      crew = crew_of
      waiter, = aboard(crew, request)
      crew.lead(waiter)
      assert_equal false, crew.leave(waiter)
      assert_equal [0, false], [crew.aboard, crew.led?]
    end

    def test_who_leaves_is_in_no_list
      crew = crew_of
      leader, parked = aboard(crew, request, request)
      [leader, parked].each { |one| crew.lead(one) }
      assert_nil crew.leave(parked)
      refute_predicate parked, :parked?
      assert_equal false, crew.leave(leader)
    end

    def test_who_leaves_twice_leaves_once
      crew = crew_of
      waiter, = aboard(crew, request)
      2.times { crew.leave(waiter) }
      assert_equal 0, crew.aboard
    end

    def test_one_world_at_a_time
      crew = crew_of
      mine, foreign = request, foreign_request
      crew.enter(mine)
      assert_equal [true, false], [crew.admits?(nil), crew.admits?(foreign.world)]
      assert_nil crew.enter(foreign)
      crew.leave(mine)
      assert_equal :first, crew.enter(foreign)
      assert_nil crew.enter(mine)
    end

    # Futures: a stranger is parked until those aboard have gone, and leads then.
    def test_a_stranger_who_waits_for_a_future_comes_last
      crew = crew_of
      leader, fellow = aboard(crew, request, request)
      stranger = foreign_request
      [leader, fellow, stranger].each { |one| crew.lead(one) }
      assert_equal 2, crew.aboard
      assert_same fellow, crew.leave(leader)
      assert_same stranger, crew.leave(fellow)
      assert_equal true, crew.lead(stranger)
    end

    def test_a_reserved_trunk_takes_only_pinned_requests
      crew = crew_of
      assert crew.reserve
      refute crew.reserve
      assert_nil crew.enter(request)
      pinned = request.pin
      assert_equal :first, crew.enter(pinned)
      crew.leave(pinned)
      crew.release
      assert_equal :first, crew.enter(request)
      assert_nil crew.enter(request.pin)
    end

    def test_a_trunk_in_use_is_not_reserved
      crew = crew_of
      crew.enter(request)
      refute crew.reserve
    end

    def test_inherited_by_a_child
      crew = crew_of
      refute_predicate crew, :inherited?
      reader, writer = IO.pipe
      pid = fork { exit!(writer.write([crew.inherited?, crew.enter(request), crew.admits?(nil), crew.reserve].inspect).positive?) }
      writer.close
      Process.wait(pid)
      assert_equal "[true, nil, false, false]", reader.read
    end

    def test_it_takes_nothing_but_codecs_and_requests
      assert_raises(TypeError) { Crew.new(Object.new) }
      %i[enter lead leave].each { |verb| assert_raises(TypeError) { crew_of.public_send(verb, Object.new) } }
    end
  end
end
