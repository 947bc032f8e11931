# frozen_string_literal: true

require "test_helper"
require "support/schedulers/reference_scheduler"

module Trunkline
  # Pushed to and popped from, in either order.
  class TokenTest < TestCase
    # Both ways to sleep, whatever this Ruby's queues can do.
    def kinds = [Token.new, TimedToken.new]

    def test_pushed_before_it_is_popped
      Token.new.push(nil).pop
      kinds.last.tap { |token| token.push(nil) }.pop(timeout: 60)
    end

    def test_pushed_to_a_sleeper
      { Token.new => {}, TimedToken.new => { timeout: 60 }, Token.timed => { timeout: 60 } }.each do |token, options|
        sleeper = Thread.new { token.pop(**options) }
        Thread.pass until sleeper.stop?
        token.push(nil)
        assert sleeper.join(20), token.class.name
      end
    end

    # A fiber that waited for the sleeper's Mutex could be torn from that wait.
    def test_a_fiber_that_pushes_does_not_wait
      kinds.each do |token|
        pushing = false
        holder = holding(token) { pushing }
        pushed = ReferenceScheduler.run { pushed_at_once?(token) { pushing = true } }
        assert pushed, token.class.name
        holder.join
      end
    end

    def test_it_ends_by_itself
      start = Waiting.now
      Token.timed.pop(timeout: 0.01)
      TimedToken.new.pop(timeout: 0.01)
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

    # @return [Boolean] whether a fiber has pushed before the scheduler had its turn
    def pushed_at_once?(token)
      done = false
      Fiber.schedule do
        yield
        token.push(nil)
        done = true
      end
      done
    end
  end
end
