# frozen_string_literal: true

require_relative "fake_trunk"

module Trunkline
  # A pool of trunks without connections.
  module PoolTesting
    include Requests

    def setup
      super
      @opened = []
    end

    def pool(connections: 2, most: 3, limits: {}, check: nil, address_changed: nil, **fake, &open)
      open ||= ->(_pool) { FakeTrunk.new(**fake).tap { |trunk| @opened << trunk } }
      Pool.new(connections: connections, most: most, limits: Limits.new(**limits), server: "there", check: check, address_changed: address_changed, &open)
    end

    # Stops the clock: on a slow machine, for the second request the server would be behind its estimate of the first, which nothing answers.
    def at_one_moment(&block) = with_stopped_clock(&block)

    # @return [Array(Pool, FakeTrunk, Thread)] a pool of two, the trunk that one caller has leased, and the caller that waits for one
    def lent_to_one_while_another_waits
      pool = self.pool(connections: 1, most: 2)
      pool.perform(request)
      own = pool.check_out(request)
      [pool, own, waiting(pool) { |asked| pool.check_out(asked) }]
    end

    # Runs the block in a thread, with a request that joins the wait queue. The pool notes that a moment after the request is parked.
    def waiting(pool)
      asked = nil
      thread = Thread.new { yield asked = request }
      thread.report_on_exception = false
      Thread.pass until (asked&.parked? && pool.callers_waiting.on?) || !thread.alive?
      assert_predicate pool.callers_waiting, :on?
      thread
    end
  end
end
