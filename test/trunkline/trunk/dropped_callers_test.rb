# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/fake_trunk"

module Trunkline
  # Which connections are ended because their users are gone, while other threads take and give back connections.
  class DroppedCallersTest < TestCase
    # Is asked whether it lives: meanwhile other threads run, and the thread that it stands for may end.
    class User
      def initialize(alive, &meanwhile)
        @alive = alive
        @meanwhile = meanwhile
      end

      def alive?
        @meanwhile&.call
        @alive
      end

      def shared? = false
    end

    def setup
      @roster = Roster.new(connections: 1, most: 4)
      @dropped = DroppedCallers.new(@roster, []) { flunk "there are no entries of callers" }
    end

    def pinned(user = nil)
      @roster.opening(to_pin: true)
      FakeTrunk.new.tap do |trunk|
        @roster.opened(trunk, to_pin: true)
        trunk.user = user
      end
    end

    def give_back(trunk)
      trunk.user = nil
      @roster.check_in(trunk, wanted: 0, shared: false)
    end

    def close_dropped = @dropped.close_trunks

    def test_that_of_a_user_that_is_gone_is_closed
      gone, used = pinned(User.new(false)), pinned(User.new(true))
      unused = pinned
      close_dropped
      assert_match(/has ended, or was dropped/, gone.closed)
      assert_equal [nil, nil], [used.closed, unused.closed]
    end

    # It may be a dropped fiber, whose event loop could not be collected.
    def test_that_of_a_user_that_is_gone_refers_to_no_leader
      trunk = pinned(User.new(false))
      trunk.state.lead(Waiter.new)
      close_dropped
      refute_predicate trunk.state, :led?
    end

    def test_one_that_is_given_back_meanwhile
      trunk = pinned
      trunk.user = User.new(false) { give_back(trunk) }
      others = Array.new(2) { pinned(User.new(true)) }
      close_dropped
      assert_equal [nil] * 3, [trunk, *others].map(&:closed)
    end

    def test_one_that_another_caller_has_meanwhile
      trunk = pinned
      trunk.user = User.new(false) { trunk.user = User.new(true) }
      close_dropped
      assert_nil trunk.closed
    end

    # As a connection of ActiveRecord's that one thread has given back, and another one has taken.
    def test_one_that_the_same_user_has_anew
      answers = [false, true]
      trunk = pinned(User.new(false).tap { |user| user.define_singleton_method(:alive?) { answers.shift } })
      close_dropped
      assert_nil trunk.closed
    end

    # A caller that was dropped may have left a request in flight there, which refers to it. A stream reads its own answers, when it has room for them.
    def test_answers_are_read_where_several_callers_use_a_connection_before_garbage_is_collected
      shared, own = [true, false].map do |for_several|
        user = User.new(true)
        user.define_singleton_method(:shared?) { for_several }
        pinned(user).tap { |trunk| trunk.define_singleton_method(:read_unattended) { @read = true } }
      end
      entry = CallerQueue::Entry.new(Requests::REQUEST.companion, to_pin: true).enqueue(60)
      Waiting.stub(:now, -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) + DroppedCallers.const_get(:COLLECT_AFTER) }) { @dropped.collect(entry) }
      assert_equal [true, nil], [shared, own].map { |trunk| trunk.instance_variable_get(:@read) }
    end

    def test_others_that_are_given_back_meanwhile
      first = pinned(User.new(true))
      last = pinned(User.new(false) { give_back(first) })
      close_dropped
      assert_nil first.closed
      assert_match(/has ended, or was dropped/, last.closed)
    end
  end
end
