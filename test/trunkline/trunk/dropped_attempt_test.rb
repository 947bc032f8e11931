# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/pool_testing"
require "support/schedulers/dropping"

module Trunkline
  # A fiber that was to open a connection, and never goes on.
  class DroppedAttemptTest < TestCase
    include PoolTesting

    def setup
      super
      @later = 0
      @connecting = []
    end

    # In a thread that asks nothing more: only that thread could tell that its event loop has dropped the fiber.
    def test_it_counts_no_more_after_a_while
      with_dropped_attempt do |pool, _|
        patient = waiting(pool) { |asked| pool.perform(asked) }
        assert_equal 1, pool.counts[:opening]
        @later = 31
        assert_equal [patient.value], @opened
        assert_equal 0, pool.counts[:opening]
      end
    end

    def test_it_continues_after_all_where_there_is_room
      with_dropped_attempt(most: 2) do |pool, go_on|
        @later = 31
        pool.perform(request)
        assert_equal 1, pool.counts[:shared]
        go_on.call
        assert_equal [2, [nil, nil]], [pool.counts[:shared], @opened.map(&:closed)]
      end
    end

    def test_it_continues_after_all_when_its_place_is_taken
      with_dropped_attempt do |pool, go_on|
        @later = 31
        patient = pool.perform(request)
        go_on.call
        assert_equal({ shared: 1, pinned: 0, spare: 0, opening: 0 }, pool.counts)
        assert_equal [patient, nil], [@opened.first, patient.closed]
        assert_match(/not needed any more/, @opened.last.closed)
      end
    end

    private

    # @yieldparam pool [Pool] of which a fiber that was dropped in another thread opens a trunk
    # @yieldparam go_on [#call] has that fiber go on
    def with_dropped_attempt(most: 1)
      pool = self.pool(connections: most, most: most) { connect }
      thread, orders = fiber_dropped_in_a_thread(pool)
      Waiting.stub(:now, -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) + @later }) do
        yield pool, -> { orders.push(:go_on) && thread.join }
      end
    ensure
      orders.close
      thread.join
    end

    def connect
      @connecting << Fiber.current
      Fiber.yield unless Fiber.current.blocking?
      FakeTrunk.new.tap { |trunk| @opened << trunk }
    end

    # The thread is to ask nothing more.
    def fiber_dropped_in_a_thread(pool)
      orders, dropped = Array.new(2) { Thread::Queue.new }
      thread = Thread.new do
        Dropping.run { Fiber.schedule { pool.perform(request) } }
        dropped.push(true)
        orders.pop && @connecting.first.resume
      end
      dropped.pop
      [thread, orders]
    end
  end
end
