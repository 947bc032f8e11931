# frozen_string_literal: true

require "test_helper"
require "support/pool_testing"

module Trunkline
  # What a pool does where its server takes no more connections, and where there may be one only.
  class FullServerTest < TestCase
    include PoolTesting

    # A server that takes so many connections, and refuses others.
    def pool_at_server(takes:, connections: 2, most: 4, **options)
      @takes = takes
      pool(connections: connections, most: most, **options) do
        raise TooManyConnections, { message: "too many", sqlstate: "53300" } if @opened.count { |trunk| trunk.closed.nil? } >= @takes

        FakeTrunk.new.tap { |trunk| @opened << trunk }
      end
    end

    def test_the_idle_shared_connection_is_pinned
      pool = pool_at_server(takes: 1)
      pool.perform(request)
      own = pool.check_out(request)
      assert_same @opened.first, own
      pool.check_in(own)
      pool.perform(request)
      assert_equal({ shared: 1, pinned: 0, spare: 0, opening: 0 }, pool.counts)
    end

    def test_a_caller_that_shares_waits_for_the_one_that_is_pinned
      pool = pool_at_server(takes: 1)
      own = pool.check_out(request)
      thread = waiting(pool) { |asked| pool.perform(asked) }
      pool.check_in(own)
      assert_same own, thread.value
    end

    # What is in flight there is answered first, and nothing new goes there.
    def test_a_busy_shared_connection_is_waited_for
      pool = pool_at_server(takes: 1)
      pool.dispatch(busy = request)
      thread = waiting(pool) { |asked| pool.check_out(asked) }
      assert_equal 0, pool.counts[:pinned]
      finish(@opened.first.codec)
      @opened.first.state.leave(busy)
      pool.freed
      assert_same @opened.first, thread.value
    end

    def test_it_takes_more_later
      pool = pool_at_server(takes: 1)
      pool.perform(request)
      own = pool.check_out(request)
      @takes = 2
      pool.perform(request) # waits for the end of the pause, at the latest
      assert_equal 2, @opened.size
      pool.check_in(own)
    end

    def test_without_a_connection_it_is_an_error
      pool = pool_at_server(takes: 0)
      [-> { pool.perform(request) }, -> { pool.check_out(request) }].each do |call|
        assert_predicate assert_raises(TooManyConnections, &call), :retriable?
      end
    end

    # The server may count a connection for a moment that this pool has just ended.
    def test_the_place_of_a_connection_that_has_ended_just_now
      refusals = 2
      pool = self.pool do
        raise TooManyConnections, { message: "too many", sqlstate: "53300" } if @opened.any? && (refusals -= 1) >= 0

        FakeTrunk.new.tap { |trunk| @opened << trunk }
      end
      pool.perform(request)
      @opened.first.close("over")
      pool.lost(@opened.first)
      pool.perform(request)
      assert_equal [2, -1], [@opened.size, refusals]
    end

    def test_a_caller_that_waits_in_vain_is_told_the_limit
      pool = pool_at_server(takes: 1, limits: { max_wait: 0.01 })
      own = pool.check_out(request)
      message = assert_raises(Overloaded) { pool.perform(request) }.message
      assert_match(/sessions, transactions or subscriptions hold all connections; there may be 1 \(the server takes no more\)/, message)
      assert_match(/all out; there may be 1 \(the server/, assert_raises(Overloaded) { pool.check_out(request) { "all out" } }.message)
      pool.check_in(own)
    end

    # --- one connection only ---

    def test_one_connection_is_shared_and_pinned_by_turns
      pool = self.pool(connections: 1, most: 1)
      3.times do
        pool.perform(request)
        pool.check_in(pool.check_out(request))
      end
      assert_equal [1, { shared: 1, pinned: 0, spare: 0, opening: 0 }], [@opened.size, pool.counts]
    end

    # However many wait for it to be their own: those that share go first when it is given back, and then one of the others.
    def test_neither_kind_keeps_the_other_from_it
      pool = self.pool(connections: 1, most: 1)
      own = pool.check_out(request)
      order = Thread::Queue.new
      owners = Array.new(2) { waiting(pool) { |asked| pool.check_out(asked).then { |trunk| order << :own && pool.check_in(trunk) } } }
      sharer = waiting(pool) { |asked| pool.over_shared_trunk(asked) { |trunk| order << :shared && trunk.perform(asked) } }
      pool.check_in(own)
      [sharer, *owners].each(&:join)
      assert_equal %i[shared own own], Array.new(3) { order.pop }
    end

    def test_a_caller_that_shares_and_gives_up_leaves_it_to_the_others
      pool = self.pool(connections: 1, most: 1)
      own = pool.check_out(request)
      sharer = waiting(pool) { |asked| pool.perform(asked) }
      owner = waiting(pool) { |asked| pool.check_out(asked) }
      sharer.kill.join
      pool.check_in(own)
      assert_same own, owner.value
    end

    def test_a_caller_that_waits_in_vain_for_the_only_one
      pool = self.pool(connections: 1, most: 1, limits: { max_wait: 0.01 })
      pool.check_out(request)
      assert_match(/there may be 1 \(max_connections\)/, assert_raises(Overloaded) { pool.perform(request) }.message)
    end
  end
end
