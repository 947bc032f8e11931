# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/herd"
require "support/pool_testing"

module Trunkline
  # What becomes of a server that comes back while many processes wait for it.
  class HerdTest < TestCase
    include PoolTesting

    # Their time-out is shorter than all of their logins take. Half of them are back after 4.2 to 4.5 s (8 seeds), and all after 6.9 to 7.1 s.
    def test_they_all_come_back
      first = Herd.new(10_000, cores: 16, timeout: 2.0).run
      assert_equal 10_000, first.size
      assert_operator first[5000], :<, 4.5
      assert_operator first.last, :<, 7.5
    end

    # Pauses of 2 s at most, also after a time-out, would keep the server busy with logins that are given up.
    def test_more_of_them
      assert_equal 12_000, Herd.new(12_000, cores: 16, timeout: 2.0).run.size
    end

    # Where the server can log all of them in within the time-out, none is given up.
    def test_few_are_back_at_once
      herd = Herd.new(1000, cores: 16, timeout: 2.0)
      assert_operator herd.run.last, :<, 2.5
      assert_equal 0, herd.given_up
    end

    # Each caller finds its connection lost, and one of them opens another.
    def test_one_attempt_after_a_loss
      gate = nil
      attempts = 0
      pool = self.pool(connections: 4, most: 8) do
        gate&.pop
        attempts += 1
        FakeTrunk.new.tap { |trunk| @opened << trunk }
      end
      pool.perform(request)
      gate = Queue.new
      lose(pool, @opened.last)
      callers = Array.new(3) { waiting_or_opening(pool) { |asked| pool.perform(asked) } } + Array.new(3) { waiting_or_opening(pool) { |asked| pool.check_out(asked) } }
      assert_equal 1, pool.counts[:opening]
      at_one_moment { 4.times { gate << true } && callers.each(&:join) }
      assert_equal({ shared: 1, pinned: 3, spare: 0, opening: 0 }, pool.counts)
      assert_equal 5, attempts
    end

    # Connections beyond the first follow after a while, or where they are needed: see also what callers have for their own above.
    def test_further_ones_follow_later
      pool = self.pool(connections: 2, most: 4)
      pool.perform(request)
      lose(pool, @opened.last)
      now = Waiting.now
      at_one_moment do
        Waiting.stub(:now, -> { now }) do
          first, second = Array.new(2) { known_request.tap { |asked| pool.dispatch(asked) } }
          assert_equal 1, pool.counts[:shared]
          now += 4
          pool.dispatch(known_request)
          assert_equal 2, pool.counts[:shared]
          refute_same first, second
        end
      end
    end

    private

    def lose(pool, trunk)
      trunk.define_singleton_method(:loss) { Loss.new("gone", true, false) }
      pool.lost(trunk)
    end

    # Runs the block in a thread, with a request that comes to wait in line, or for a connection that it opens.
    def waiting_or_opening(pool)
      asked = nil
      thread = Thread.new { yield asked = request }
      Thread.pass until asked&.parked? || (thread.stop? && pool.counts[:opening].positive?)
      thread
    end
  end
end
