# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/living_thread"
require "support/schedulers/dropping"

module Trunkline
  # A turn whose caller does not run on.
  class TurnTest < TestCase
    include LivingThread

    def setup
      super
      @turn = Turn.new
    end

    def test_that_of_a_fiber_whose_thread_has_ended
      Thread.new { drop }.join
      assert_equal :mine, @turn.take { :mine }
      refute_predicate @holder, :held?
    end

    # Only that thread could tell that the fiber was dropped.
    def test_that_of_a_fiber_whose_thread_makes_no_more_calls
      drop_in_a_thread_that_lives
      passing { assert_equal [:mine, false], [@turn.take { :mine }, @holder.held?] }
    end

    def test_that_of_a_fiber_that_renews_it
      drop_in_a_thread_that_lives
      passing(-> { @holder.renew }) { assert_nil(@turn.take(@now + 100) { flunk }) }
      assert_predicate @holder, :held?
    end

    # That loop runs: the fiber takes long.
    def test_that_of_a_fiber_of_the_same_event_loop
      dropped = nil
      Dropping.run do
        Fiber.schedule { @turn.take { |holder| (@holder = holder) && Fiber.yield } }
        Fiber.schedule { passing { dropped = Array.new(40) { @holder.dropped? } } }
      end
      assert_equal [false], dropped.uniq
    end

    # Else what they refer to could not be collected: a subscription, for example.
    def test_fibers_that_are_dropped_while_they_wait_are_not_referred_to
      @turn.take do
        Dropping.run { 3.times { Fiber.schedule { @turn.take { flunk } } } }
        assert_equal 3, @turn.instance_variable_get(:@waiting).size
      end
      assert_equal 0, @turn.instance_variable_get(:@waiting).size
      assert_equal :mine, @turn.take { :mine }
    end

    # Words that remain on the stack may keep some of them, not all.
    def test_fibers_that_are_dropped_in_their_turns_are_not_referred_to
      turns = Array.new(20) { Turn.new }
      fibers = ObjectSpace::WeakMap.new
      dropped = ->(turn) { (fibers[Fiber.current] = Fiber.current) && turn.take { Fiber.yield } }
      Fiber.new { Dropping.run { turns.each { |turn| Fiber.schedule { dropped.call(turn) } } } }.resume
      3.times { GC.start }
      assert_operator fibers.size, :<, 10
      assert_equal [:mine] * 20, turns.map { |turn| turn.take { :mine } }
    end

    # It has lost the turn, and does not end that of another.
    def test_a_fiber_that_runs_on_after_all
      Dropping.run do
        @dropped = Fiber.schedule { @turn.take { |holder| (@holder = holder) && Fiber.yield } }
      end
      @turn.take do |other|
        @dropped.resume
        assert_equal [false, true, false], [@dropped.alive?, other.held?, @holder.held?]
      end
    end

    private

    def drop = Dropping.run { Fiber.schedule { @turn.take { |holder| (@holder = holder) && Fiber.yield } } }

    def drop_in_a_thread_that_lives
      dropped = Thread::Queue.new
      @thread = Thread.new { drop && dropped.push(true) && @finish.pop }
      dropped.pop
    end

    # A second passes whenever a caller reads the clock.
    #
    # @param also [#call] what happens then, too
    def passing(also = -> {}, &)
      @now = 1000.0
      Waiting.stub(:now, -> { also.call.then { @now += 1 } }, &)
    end
  end
end
