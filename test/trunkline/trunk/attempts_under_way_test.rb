# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/pool_testing"

module Trunkline
  # What happens to callers, and to their servers, while an attempt to connect is under way.
  class AttemptsUnderWayTest < TestCase
    include PoolTesting

    # An attempt that began before they came says nothing of the next one, and that stands for all of them: they would only find out the same, one after the
    # other.
    def test_those_that_come_while_an_attempt_is_under_way_wait_for_the_next_one
      gate = Thread::Queue.new
      attempts = 0
      pool = self.pool(connections: 1, most: 2) { gate.pop && raise(ConnectionError, "attempt #{attempts += 1}") }
      opener = Thread.new { pool.perform(request) }
      opener.report_on_exception = false
      Thread.pass until gate.num_waiting == 1
      others = Array.new(3) { waiting(pool) { |asked| pool.perform(asked) } }
      gate.push(true)
      assert_equal "attempt 1", assert_raises(ConnectionError) { opener.value }.message
      Thread.pass until gate.num_waiting == 1 && pool.stats[:queue][:to_share] == 2
      assert(others.all?(&:alive?))
      gate.push(true)
      errors = others.map { |thread| assert_raises(ConnectionError) { thread.value } }
      assert_equal [["attempt 2"], 3], [errors.map(&:message).uniq, errors.uniq(&:object_id).size]
    end

    # Looks whether another server may be tried at once: callers wait as before until one tells so.
    def test_checks_during_the_pause
      answers = Thread::Queue.new
      attempts = 0
      pool = self.pool(connections: 1, most: 2, limits: { failover_wait: 600 }, address_changed: -> { answers.pop }) do
        raise ConnectionError.new("away").tap { |error| error.retry_after = 600 } if (attempts += 1) == 1

        FakeTrunk.new.tap { |trunk| @opened << trunk }
      end
      at = Waiting.now # until all wait, no time passes: else the first look may be due before
      Waiting.stub(:now, -> { at || Process.clock_gettime(Process::CLOCK_MONOTONIC) }) do
        callers = Array.new(2) { waiting(pool) { |asked| pool.perform(asked) } } << waiting(pool) { |asked| pool.check_out(asked) }
        at = nil
        3.times do
          Thread.pass until answers.empty? && answers.num_waiting == 1
          assert_equal [1, { shared: 0, pinned: 0, spare: 0, opening: 1 }, []], [attempts, pool.counts, pool.trunks]
          answers << false
        end
        Thread.pass until answers.empty? && answers.num_waiting == 1
        answers << true
        assert_equal [true] * 3, callers.map { |caller| !caller.value.nil? }
      end
      assert_equal [2, []], [pool.trunks.size, pool.trunks - @opened]
    end

    # Its server was left while it was being opened.
    def test_one_that_is_not_wanted_any_more_when_it_is_open
      pool = self.pool do |opening|
        opening.retire_where("its server is left") { |trunk| trunk.equal?(@opened.first) } if @opened.empty?
        FakeTrunk.new.tap { |trunk| @opened << trunk }
      end
      pool.perform(request)
      assert_equal [0, 1], @opened.map { |trunk| trunk.performed.size }
      assert_equal [@opened.last], pool.trunks
      assert_match(/not needed any more/, @opened.first.closed)
      assert_equal({ shared: 1, pinned: 0, spare: 0, opening: 0 }, pool.counts)
    end
  end
end
