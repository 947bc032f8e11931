# frozen_string_literal: true

require "test_helper"
require "support/dispatching"
require "support/fake_trunk"

module Trunkline
  # Which trunks are shared, which are one caller's own, and how many there may be.
  class RosterTest < TestCase
    include Dispatching

    def roster(connections: 2, most: 3, **options) = Roster.new(connections: connections, most: most, **options)

    def open(roster, to_pin: false)
      roster.opening(to_pin: to_pin)
      FakeTrunk.new.tap { |trunk| roster.opened(trunk, to_pin: to_pin) }
    end

    def test_the_budget_of_shared_ones
      roster = self.roster
      assert_equal [true, true, true], [roster.room?, roster.room_to_share?, roster.nothing_open?]
      trunks = Array.new(2) { open(roster) }
      assert_equal [true, false, false], [roster.room?, roster.room_to_share?, roster.nothing_open?]
      assert_equal [trunks, 2], [roster.trunks, roster.dispatcher.idle_count]
      assert_predicate roster.trunks, :frozen?
    end

    def test_the_budget_of_all
      roster = self.roster
      3.times { open(roster, to_pin: true) }
      assert_equal [false, false, 3], [roster.room?, roster.room_to_share?, roster.size]
    end

    def test_what_is_being_opened_counts
      roster = self.roster
      2.times { roster.opening(to_pin: false) }
      assert_equal [true, false, 2], [roster.room?, roster.room_to_share?, roster.size]
      roster.opening(to_pin: true)
      refute_predicate roster, :room?
      roster.not_opened(to_pin: false)
      assert_equal [true, true], [roster.room?, roster.room_to_share?]
      assert_equal({ shared: 0, pinned: 0, spare: 0, opening: 2 }, roster.counts)
    end

    def test_a_trunk_opened_for_one_is_reserved
      trunk = open(roster = self.roster, to_pin: true)
      refute trunk.admits?(nil)
      assert_equal [[trunk], []], [roster.all, roster.trunks]
    end

    def test_taking_an_idle_shared_one
      roster = self.roster
      busy, idle = open(roster), open(roster)
      busy.dispatch(busy.request)
      assert_predicate roster, :any_to_take?
      assert_same idle, roster.take
      assert_equal [[busy], false], [roster.trunks, idle.admits?(nil)]
      assert_equal [nil, false], [roster.take, roster.any_to_take?]
    end

    def test_never_the_last_shared_one
      roster = self.roster
      open(roster)
      assert_equal [false, nil], [roster.any_to_take?, roster.take]
    end

    def test_given_back_it_is_kept_for_the_next_transaction
      roster = self.roster
      open(roster)
      trunk = open(roster) && roster.take
      assert roster.check_in(trunk, wanted: 0, shared: false)
      assert_equal [{ shared: 1, pinned: 0, spare: 1, opening: 0 }, true], [roster.counts, roster.spare_to_share?]
      refute roster.check_in(trunk, wanted: 0, shared: false)
      assert_same trunk, roster.take
    end

    def test_given_back_it_is_shared_where_callers_wait_to_share_one
      roster = self.roster
      open(roster)
      trunk = open(roster) && roster.take
      assert roster.check_in(trunk, wanted: 0, shared: true)
      assert_includes roster.trunks, trunk
      assert trunk.admits?(nil)
    end

    # As many as are shared are never closed for being idle.
    def test_a_spare_one_counts_as_one_of_those_that_are_shared
      with_stopped_clock do
        roster = self.roster(connections: 2, most: 4, max_idle: 1)
        open(roster)
        trunk = open(roster, to_pin: true)
        roster.check_in(trunk, wanted: 0, shared: false)
        Clock.pass(60)
        assert_nil roster.retire
        open(roster)
        assert_same trunk, roster.retire
      end
    end

    def test_given_back_in_excess_it_is_kept_for_the_next_alone
      roster = self.roster
      trunk = open(roster, to_pin: true)
      2.times { open(roster) }
      roster.check_in(trunk, wanted: 0, shared: true)
      assert_equal({ shared: 2, pinned: 0, spare: 1, opening: 0 }, roster.counts)
      assert_equal [true, trunk], [roster.any_to_take?, roster.take]
      assert_equal 1, roster.counts[:pinned]
    end

    def test_given_back_it_is_kept_for_the_caller_that_waits_unless_none_is_shared
      roster = self.roster
      own, other = open(roster, to_pin: true), open(roster, to_pin: true)
      [own, other].each { |trunk| roster.check_in(trunk, wanted: 1, shared: true) }
      assert_equal [[own], { shared: 1, pinned: 0, spare: 1, opening: 0 }], [roster.trunks, roster.counts]
    end

    def test_one_takes_nothing_new_until_it_is_a_callers_own_where_all_are_busy
      roster = self.roster(connections: 2, most: 2)
      busy, busier = open(roster), open(roster)
      [[busy, 1], [busier, 2]].each { |trunk, callers| callers.times { trunk.dispatch(request) } }
      roster.drain(true)
      assert_equal [[busier], [busier, busy], false], [roster.trunks, roster.all, roster.any_to_take?]
      busy.performed.each { |asked| busy.state.leave(asked) }
      assert_equal [true, busy], [roster.any_to_take?, roster.take]
      roster.drain(true)
      assert_equal [busier], roster.trunks
    end

    def test_one_is_drained_for_what_takes_long_and_is_shared_again
      roster = self.roster(connections: 2, most: 3)
      busy, busier = open(roster), open(roster)
      [[busy, 1], [busier, 2]].each { |trunk, callers| callers.times { trunk.dispatch(request) } }
      roster.drain(false, true)
      assert_equal [[busier], nil], [roster.trunks, roster.share_drained]
      busy.performed.each { |asked| busy.state.leave(asked) }
      assert_equal [busy, [busier, busy]], [roster.share_drained, roster.trunks]
    end

    # While it is drained, no caller would read the answer that ends the cancel.
    def test_one_on_which_a_cancel_is_under_way_is_shared_again_and_another_is_drained
      roster = self.roster(connections: 2, most: 3)
      cancelled, other = open(roster), open(roster)
      other.dispatch(request)
      roster.drain(false, true)
      assert_equal [other], roster.trunks
      cancelled.state.begin_cancel(request, nil)
      roster.drain(false, true)
      assert_equal [cancelled], roster.trunks
      other.state.begin_cancel(request, nil)
      roster.drain(false, true)
      assert_equal [cancelled, other], roster.trunks
    end

    def test_none_is_drained_for_it_where_one_of_its_kind_is_under_way_or_only_one_is_left
      roster = self.roster(connections: 2, most: 3)
      trunks = [open(roster)]
      roster.drain(false, true)
      assert_equal trunks, roster.trunks
      trunks.push(open(roster)).last.dispatch(long)
      roster.drain(false, true)
      assert_equal trunks, roster.trunks
    end

    def test_none_is_drained_for_it_where_another_can_be_opened
      roster = self.roster(connections: 2, most: 4)
      trunks = Array.new(2) { open(roster) }
      roster.drain(false, true)
      assert_equal trunks, roster.trunks
    end

    def test_one_that_is_shut_is_not_there_to_be_taken
      roster = self.roster(connections: 2, most: 2)
      trunks = [open(roster), open(roster)]
      trunks.each { |trunk| trunk.dispatch(request) }
      roster.drain(true)
      drained = (trunks - roster.trunks).first
      drained.state.begin_cancel(waiter = request, nil)
      drained.performed.each { |asked| drained.state.leave(asked) }
      assert_equal [false, nil], [roster.any_to_take?, roster.take]
      drained.state.finish_cancel(waiter)
      assert_equal [true, drained], [roster.any_to_take?, roster.take]
    end

    def test_what_is_drained_for_no_caller_is_shared_again
      roster = self.roster(connections: 2, most: 2)
      trunks = [open(roster), open(roster)]
      [true, false].each { |wanted| roster.drain(wanted) }
      assert_equal trunks.sort_by(&:object_id), roster.trunks.sort_by(&:object_id)
    end

    # Until they have ended they count.
    def test_retiring_ones
      roster = self.roster(connections: 2, most: 2)
      young, old = open(roster), open(roster)
      assert_nil roster.retire
      old.state.set_in_flight_limits(1, 1, 0)
      assert_same old, roster.retire
      assert_equal [[young], [young, old], false], [roster.trunks, roster.all, roster.room?]
      roster.remove(old)
      assert_predicate roster, :room_to_share?
    end

    def test_what_is_lost_is_nowhere
      roster = self.roster(most: 4)
      trunks = [open(roster), open(roster), open(roster, to_pin: true)]
      trunks.each { |trunk| roster.remove(trunk) }
      assert_equal [[], [], true], [roster.all, roster.trunks, roster.nothing_open?]
      refute roster.check_in(trunks.last, wanted: 0, shared: false)
    end
  end
end
