# frozen_string_literal: true

require "test_helper"

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
  end
end
