# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/pool_testing"
require "support/schedulers/dropping"

module Trunkline
  # A fiber that was to open a connection, and never goes on.
  class DroppedAttemptTest < TestCase
    include PoolTesting

    # In a thread that asks nothing more: only that thread could tell that its event loop has dropped the fiber.
    def test_it_counts_no_more_after_a_while
      later = 0
      gate, dropped = Array.new(2) { Thread::Queue.new }
      pool = self.pool(connections: 1, most: 1) do
        Fiber.yield unless Fiber.current.blocking?
        FakeTrunk.new.tap { |trunk| @opened << trunk }
      end
      thread = Thread.new do
        Dropping.run { Fiber.schedule { pool.perform(request) } }
        dropped.push(true) && gate.pop
      end
      dropped.pop
      Waiting.stub(:now, -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) + later }) do
        patient = waiting(pool) { |asked| pool.perform(asked) }
        assert_equal 1, pool.counts[:opening]
        later = 31
        assert_equal [patient.value], @opened
      end
      assert_equal 0, pool.counts[:opening]
    ensure
      gate.push(true)
      thread.join
    end
  end
end
