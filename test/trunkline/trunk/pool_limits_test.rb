# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/pool_testing"

module Trunkline
  # What a pool does when connections fail, when it has enough to do, and when connections have become old.
  class PoolLimitsTest < TestCase
    include PoolTesting

    # --- after a failure ---

    # Shared, it would be chosen again and again, by a caller that never waits.
    def test_a_connection_that_is_lost_while_it_is_made_ready_counts_as_not_opened
      pool = self.pool { FakeTrunk.new(takes: false).tap { |trunk| trunk.define_singleton_method(:loss) { Loss.new("gone", true, false) } } }
      assert_match(/gone/, assert_raises(ConnectionError) { pool.perform(request) }.message)
      assert_equal({ shared: 0, pinned: 0, spare: 0, opening: 0 }, pool.counts)
    end

    # One attempt stands for all callers that come meanwhile, and before the pause is over there is none.
    def test_while_nothing_is_open_one_at_a_time_tries_again
      attempts = Thread::Queue.new
      answers = Thread::Queue.new
      pool = self.pool(connections: 1, most: 2) do
        attempts.push(true)
        answers.pop ? FakeTrunk.new : raise(ConnectionError, "no server")
      end
      answers.push(false)
      assert_raises(ConnectionError) { pool.perform(request) }
      asked = Array.new(4)
      threads = asked.each_index.map { |at| Thread.new { pool.perform(asked[at] = request) } }
      2.times { attempts.pop }
      Thread.pass until asked.compact.count(&:parked?) == 3 # the fourth makes the attempt
      answers.push(true)
      threads.each(&:join)
      assert_equal [0, 1], [attempts.size, pool.counts[:shared]]
    end

    def test_one_that_wants_its_own_waits_where_the_server_takes_no_more_sessions
      full = false
      pool = self.pool { full ? raise(ServerError, "too many") : FakeTrunk.new }
      pool.perform(request)
      own = pool.check_out(request)
      full = true
      thread = waiting(pool) { |asked| pool.check_out(asked) }
      pool.check_in(own)
      assert_same own, thread.value
    end

    def test_where_no_caller_has_one_to_give_back_it_is_an_error
      pool = self.pool { raise ServerError, "too many" }
      assert_raises(ServerError) { pool.check_out(request) }
    end

    # --- limits ---

    def test_no_more_may_wait
      pool = self.pool(connections: 1, most: 2, limits: { max_waiting: 1 })
      pool.perform(request)
      own = pool.check_out(request)
      thread = waiting(pool) { |asked| pool.check_out(asked) }
      error = assert_raises(Overloaded) { pool.check_out(request) }
      assert_match(/1 callers wait already \(max_waiting\) \(server there\)/, error.message)
      pool.check_in(own)
      assert_same own, thread.value
    end

    def test_nor_for_longer
      pool = self.pool(most: 2, limits: { max_wait: 0.01 })
      pool.check_out(request)
      error = assert_raises(Overloaded) { pool.check_out(request) }
      assert_match(/within 0.01 s \(max_wait\)/, error.message)
      refute_predicate pool.callers_waiting, :on?
    end

    # The caller is told of its deadline, not of max_wait, which is far away.
    def test_a_deadline_that_passes_while_a_caller_comes_to_wait_again
      at_one_moment do
        (1..3).each do |at|
          queue = WaitQueue.new(Roster.new(connections: 1, most: 1), nil, Limits.new, "there", false)
          entry = CallerQueue::Entry.new(request.limit(1), to_pin: true)
          queue.join(entry)
          queue.leave(entry)
          looks = 0
          joined = Waiting.stub(:now, -> { Clock.pass((looks += 1) == at ? 2 : 0) && Clock.now }) { queue.join(entry) }
          assert_equal at > 1, joined
        end
      end
    end

    # The caller has waited for a server, and is told why there is none; or for room where there is one by now.
    def test_the_time_for_which_failed_attempts_are_outlasted_passes
      { true => ConnectionError, false => Overloaded }.each do |failing, told|
        roster = Roster.new(connections: 1, most: 1)
        queue = WaitQueue.new(roster, Struct.new(:failing) { def failing? = failing }.new(failing), Limits.new(max_wait: 1), "there", false)
        entry = CallerQueue::Entry.new(request, to_pin: true)
        assert entry.continues_after?(ConnectionError.new("no server"), 5)
        queue.join(entry)
        queue.leave(entry)
        Waiting.stub(:now, Waiting.now + 6) { assert_raises(told) { queue.join(entry) } }
      end
    end

    # It has not passed at the second look, and then it has: it is no wait of a minute in any case.
    def test_a_deadline_that_passes_while_the_caller_lines_up
      pool = self.pool(most: 2)
      pool.check_out(request)
      late = Deadlines.hold(Waiting.now - 1) { request }
      looks = 2
      late.stub(:deadline_passed?, -> { (looks -= 1).negative? }) { assert_raises(Deadline) { pool.check_out(late) } }
    end

    def test_full_ones_are_not_chosen
      pool = self.pool(limits: { max_in_flight: 2 })
      at_one_moment { 4.times { pool.dispatch(request) } }
      assert_equal [2, 2], @opened.map { |trunk| trunk.performed.size }
    end

    # Callers that wait for one of their own do not stop the others.
    def test_a_caller_that_shares_passes_one_that_does_not
      pool, own, thread = lent_to_one_while_another_waits
      pool.perform(request)
      assert_equal 2, @opened.first.performed.size
      pool.check_in(own)
      assert_same own, thread.value
    end

    # One that is given back goes to the caller that waits for it, though fewer are shared than may be.
    def test_given_back_to_the_caller_that_waits
      pool = self.pool(connections: 2, most: 3)
      pool.perform(request)
      owns = Array.new(2) { pool.check_out(request) }
      thread = waiting(pool) { |asked| pool.check_out(asked) }
      owns.each { |own| pool.check_in(own) }
      assert_includes owns, thread.value
      assert_equal({ shared: 1, pinned: 1, spare: 1, opening: 0 }, pool.counts)
    end

    # A caller that shares finds room for a connection, whatever callers came before.
    def test_the_last_one_is_no_callers_own
      pool = self.pool(connections: 1, most: 2)
      own = pool.check_out(request)
      thread = waiting(pool) { |asked| pool.check_out(asked) }
      pool.perform(request)
      assert_equal({ shared: 1, pinned: 1, spare: 0, opening: 0 }, pool.counts)
      pool.check_in(own)
      assert_same own, thread.value
    end

    def test_a_caller_that_waits_in_vain_is_told_why
      pool = self.pool(most: 2, limits: { max_wait: 0.01 })
      pool.check_out(request)
      assert_match(/max_wait\): they are all out/, assert_raises(Overloaded) { pool.check_out(request) { "they are all out" } }.message)
    end

    # --- lifetime ---

    def test_old_ones_are_retired_before_they_are_chosen_again
      pool = self.pool(connections: 1, most: 9, limits: { max_lifetime: Float::MIN })
      3.times { pool.perform(request) }
      assert_equal 3, @opened.size
      assert_equal ["its lifetime has ended"] * 2, @opened.first(2).map(&:closed)
    end

    # The time that the server leaves an idle connection is over at once here; what was given back is idle too.
    def test_idle_ones_are_replaced_before_their_server_ends_them
      pool = self.pool(connections: 1, most: 9)
      pool.idle_limit = 0.0
      3.times { pool.perform(request) }
      2.times { pool.check_in(pool.check_out(request)) }
      assert_equal [5, 0.0], [@opened.size, pool.idle_limit]
      pool.idle_limit = 3600.0
      3.times { pool.perform(request) }
      assert_equal 5, @opened.count(&:closed) + 1
    end

    def test_one_that_has_become_old_is_not_given_back
      pool = self.pool(limits: { max_lifetime: Float::MIN })
      own = pool.check_out(request)
      pool.check_in(own)
      assert_equal "its lifetime has ended", own.closed
    end
  end
end
