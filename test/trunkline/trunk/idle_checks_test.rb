# frozen_string_literal: true

require "test_helper"
require "support/pool_testing"
require "support/stopped_clock"

module Trunkline
  # What callers ask on idle trunks in passing.
  class IdleChecksTest < TestCase
    include PoolTesting
    include StoppedClock

    def setup
      super
      @checks = []
    end

    def checking_pool(**options) = pool(check: -> { request.tap { |sent| @checks << sent } }, **options)

    # @return [Array(Pool, FakeTrunk, FakeTrunk)] a pool with a trunk that is shared and a spare one
    def shared_and_spare(**options)
      asking = checking_pool(connections: 1, most: 3, **options)
      shared = asking.perform(request)
      spare = asking.check_out(request)
      asking.check_in(spare)
      assert_equal({ shared: 1, pinned: 0, spare: 1, opening: 0 }, asking.counts)
      [asking, shared, spare]
    end

    def checks_on(trunk) = trunk.performed & @checks

    def test_each_idle_one_is_polled_within_five_seconds
      asking, shared, spare = shared_and_spare
      Clock.pass(2)
      asking.perform(request)
      assert_empty @checks
      Clock.pass(2)
      asking.perform(request)
      assert_equal [[], 1], [checks_on(shared), checks_on(spare).size], "the other one is in use"
      assert_equal({ shared: 1, pinned: 0, spare: 1, opening: 0 }, asking.counts)
      Clock.pass(5)
      asking.perform(request)
      assert_equal [0, 1], [checks_on(shared).size, checks_on(spare).size], "an unanswered check is not sent again"
      finish(spare.codec)
      Clock.pass(2.6)
      asking.check_in(asking.check_out(request))
      assert_equal [1, 1], [checks_on(shared).size, checks_on(spare).size], "a transaction asks the others"
      finish(shared.codec)
      Clock.pass(2.6)
      asking.perform(request)
      assert_equal [1, 2], [checks_on(shared).size, checks_on(spare).size]
    end

    # A server's limit for idle connections counts from the check on, the client's own from the last use.
    def test_a_check_is_no_use
      asking, shared, spare = shared_and_spare(limits: { max_idle: 60 })
      used = spare.state.unused_since
      5.times do
        Clock.pass(11)
        asking.perform(request)
        finish(spare.codec)
      end
      assert_equal [used, 5], [spare.state.unused_since, checks_on(spare).size]
      assert_in_delta used + 55, spare.state.idle_since, 1e-6
      assert_nil spare.closed
      Clock.pass(11)
      asking.perform(request)
      assert_equal ["it was idle for too long", nil], [spare.closed, shared.closed]
    end

    def test_without_a_check
      silent = pool(connections: 1)
      trunk = silent.perform(request)
      Clock.pass(100)
      silent.perform(request)
      assert_equal 2, trunk.performed.size
    end

    # The trunks of one that was interrupted stay the pool's.
    def test_a_trunk_that_fails_when_it_is_sent
      asking, _, spare = shared_and_spare
      spare.define_singleton_method(:dispatch) { |_request| raise Interrupt }
      Clock.pass(5)
      assert_raises(Interrupt) { asking.perform(request) }
      assert_equal({ shared: 1, pinned: 0, spare: 1, opening: 0 }, asking.counts)
    end
  end
end
