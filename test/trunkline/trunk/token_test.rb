# frozen_string_literal: true

require "test_helper"
require "support/schedulers/reference_scheduler"

module Trunkline
  # Given and taken, in either order.
  class TokenTest < TestCase
    # Both ways to sleep, whatever this Ruby's queues can do.
    def kinds = [Token.new, TimedToken.new]

    def test_given_before_it_is_taken
      Token.new.tap(&:give).take
      kinds.last.tap(&:give).take(60)
    end

    def test_given_to_a_sleeper
      { Token.new => nil, TimedToken.new => 60, Token.timed => 60 }.each do |token, seconds|
        sleeper = Thread.new { seconds ? token.take(seconds) : token.take }
        Thread.pass until sleeper.stop?
        token.give
        assert sleeper.join(20), token.class.name
      end
    end

    # A fiber that waited for the sleeper's Mutex could be torn from that wait.
    def test_a_fiber_that_gives_does_not_wait
      kinds.each do |token|
        giving = false
        holder = holding(token) { giving }
        gave = ReferenceScheduler.run { given_at_once?(token) { giving = true } }
        assert gave, token.class.name
        holder.join
      end
    end

    def test_it_ends_by_itself
      start = Waiting.now
      Token.timed.take(0.01)
      TimedToken.new.take(0.01)
      assert_operator Waiting.now - start, :>=, 0.01
    end

    def test_each_thread_has_its_own
      assert_same Token.current, Token.current
      assert_same Token.current, Fiber.new { Token.current }.resume
      refute_same Token.current, Thread.new { Token.current }.value
    end

    private

    # Keeps what the sleeper sleeps on, where it is a Mutex, until the block is true.
    def holding(token)
      mutex = token.instance_variable_get(:@mutex) || Mutex.new
      Thread.new { mutex.synchronize { Thread.pass until yield } }.tap { Thread.pass until mutex.locked? }
    end

    # @return [Boolean] whether a fiber has given it before the scheduler had its turn
    def given_at_once?(token)
      given = false
      Fiber.schedule do
        yield
        token.give
        given = true
      end
      given
    end
  end
end
