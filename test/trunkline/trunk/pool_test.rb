# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/pool_testing"

module Trunkline
  # Which caller gets which trunk, when one is opened, and which callers wait.
  class PoolTest < TestCase
    include PoolTesting

    Interrupted = Class.new(StandardError)

    def test_the_first_request_opens_the_first_connection
      pool = self.pool
      assert_empty @opened
      asked = request
      pool.perform(asked)
      assert_equal [[asked]], @opened.map(&:performed)
      assert_predicate asked, :done?
    end

    def test_idle_connections_are_used_before_others_are_opened
      pool = self.pool
      5.times { pool.perform(request) }
      assert_equal [5], @opened.map { |trunk| trunk.performed.size }
    end

    def test_busy_ones_make_it_grow_as_far_as_it_may
      pool = self.pool
      at_one_moment { 4.times { pool.dispatch(request) } }
      assert_equal 2, @opened.size
      assert_equal 4, @opened.sum { |trunk| trunk.performed.size }
      assert_equal({ shared: 2, pinned: 0, spare: 0, opening: 0 }, pool.counts)
    end

    # One opens at a time where there is room for the others, which do not wait for it.
    def test_a_caller_that_comes_while_one_is_opened_takes_what_is_there
      meanwhile = []
      pool = self.pool(connections: 3, most: 4) do |opening|
        meanwhile << opening.dispatch(known_request) if @opened.any?
        FakeTrunk.new.tap { |trunk| @opened << trunk }
      end
      at_one_moment { 2.times { pool.dispatch(known_request) } }
      assert_equal [2, [@opened.first]], [@opened.size, meanwhile]
    end

    def test_dispatch_tells_which_trunk_it_was
      pool = self.pool
      asked = request
      assert_includes pool.dispatch(asked).performed, asked
    end

    def test_a_connection_of_ones_own
      pool = self.pool
      pool.perform(request)
      own = pool.check_out(request)
      refute_same @opened.first, own
      refute own.admits?(nil)
      pool.check_in(own)
      assert_equal({ shared: 1, pinned: 0, spare: 1, opening: 0 }, pool.counts)
      assert_same own, pool.check_out(request)
    end

    def test_one_that_is_idle_is_taken_out_of_those_shared
      pool = self.pool
      at_one_moment { 2.times { pool.dispatch(request) } }
      @opened.each { |trunk| trunk.performed.each { |asked| trunk.state.leave(asked) } && finish(trunk.codec, trunk.codec.in_flight) }
      assert_includes @opened, pool.check_out(request)
      assert_equal({ shared: 1, pinned: 1, spare: 0, opening: 0 }, pool.counts)
    end

    def test_a_caller_that_finds_none_waits_for_one_to_be_given_back
      pool, own, thread = lent_to_one_while_another_waits
      pool.check_in(own)
      assert_same own, thread.value
      refute_predicate pool.callers_waiting, :on?
    end

    def test_a_caller_that_finds_none_waits_for_one_to_be_lost
      pool, own, thread = lent_to_one_while_another_waits
      pool.lost(own)
      given = thread.value
      assert_equal [3, true], [@opened.size, @opened.last.equal?(given)]
    end

    def test_every_caller_that_waits_is_served
      pool = self.pool(connections: 1, most: 2)
      own = pool.check_out(request)
      served = Thread::Queue.new
      pool.perform(request)
      threads = Array.new(5) { |number| waiting(pool) { |asked| served << [number, pool.check_out(asked)] } }
      numbers = Array.new(5) do
        pool.check_in(own)
        served.pop.first
      end
      threads.each(&:join)
      assert_equal (0...5).to_a, numbers.sort
    end

    def test_a_caller_of_another_scheduler_waits_until_no_caller_is_active
      pool = self.pool(connections: 1, most: 2)
      foreign = foreign_request
      own = pool.check_out(request)
      trunk = pool.dispatch(foreign)
      thread = waiting(pool) { |asked| pool.perform(asked) }
      trunk.state.leave(foreign)
      pool.freed
      thread.join
      assert_equal 2, trunk.performed.size
      pool.check_in(own)
    end

    def test_a_caller_that_gives_up_waiting_stops_no_caller
      pool = self.pool(connections: 1, most: 2)
      pool.perform(request)
      own = pool.check_out(request)
      impatient, patient = Array.new(2) { waiting(pool) { |asked| pool.check_out(asked) } }
      impatient.raise(IndexError)
      assert_raises(IndexError) { impatient.value }
      pool.check_in(own)
      assert_same own, patient.value
    end

    # Not in line on the only trunk that is open yet.
    def test_what_was_never_seen_waits_for_trunks_that_are_being_opened
      may_open = Queue.new << true
      pool = self.pool(connections: 2, most: 2) { may_open.pop && FakeTrunk.new.tap { |trunk| @opened << trunk } }
      first = request
      pool.dispatch(first).state.lead(first)
      opener = Thread.new { pool.dispatch(request) }
      Thread.pass until pool.counts[:opening] == 1
      waiter = waiting(pool) { |asked| pool.dispatch(asked) }
      assert_equal [1], @opened.map { |trunk| trunk.performed.size }
      may_open << true
      opener.join
      @opened.each { |trunk| finish(trunk.codec) && trunk.performed.each { |asked| trunk.state.leave(asked) } }
      pool.freed
      waiter.join
      assert_equal [1, 2], @opened.map { |trunk| trunk.performed.size }.sort
    end

    def test_no_connection_at_all
      pool = self.pool { raise ConnectionError, "no server" }
      2.times { assert_raises(ConnectionError) { pool.perform(request) } }
      assert_raises(ConnectionError) { pool.check_out(request) }
      assert_equal({ shared: 0, pinned: 0, spare: 0, opening: 0 }, pool.counts)
    end

    def test_one_that_cannot_be_opened_delays_no_caller_while_another_is_there
      attempts = 0
      full = ConnectionError.new("too many").tap { |error| error.retry_after = 60 } # the pause is at random else, and may be over at once
      pool = self.pool { (attempts += 1) == 1 ? FakeTrunk.new.tap { |trunk| @opened << trunk } : raise(full) }
      at_one_moment { 2.times { pool.dispatch(known_request) } }
      assert_equal [2, [2]], [attempts, @opened.map { |trunk| trunk.performed.size }]
    end

    # No other caller is there to wake them when the next attempt may be made.
    def test_a_caller_that_waits_because_no_connection_could_be_opened_just_now_checks_again
      attempts = 0
      pool = self.pool(most: 4) { (attempts += 1) == 2 ? raise(ConnectionError, "too many") : FakeTrunk.new }
      pool.perform(request)
      assert_raises(ConnectionError) { pool.check_out(request) }
      threads = Array.new(3) { Thread.new { pool.check_out(request) } }
      assert_equal 3, threads.map(&:value).uniq.size
      assert_equal({ shared: 1, pinned: 3, spare: 0, opening: 0 }, pool.counts)
    end

    # After a failure one attempt stands for all: the others wait for its end, however long the pause before it was.
    def test_a_caller_that_gives_up_waiting_for_another_attempt_passes_it_on
      attempts = 0
      gate = Thread::Queue.new
      pool = self.pool(most: 3) do
        attempts += 1
        raise ConnectionError, "too many" if attempts == 2

        gate.pop if attempts == 3
        FakeTrunk.new
      end
      pool.perform(request)
      assert_raises(ConnectionError) { pool.check_out(request) }
      opener = Thread.new { pool.check_out(request) }
      Thread.pass until gate.num_waiting == 1
      impatient, patient = Array.new(2) { waiting(pool) { |asked| pool.check_out(asked) } }
      impatient.raise(IndexError)
      assert_raises(IndexError) { impatient.value }
      gate.push(true)
      assert_predicate patient.value, :alive?
      refute_same opener.value, patient.value
    end

    # The server that was connected to may never answer.
    def test_an_attempt_that_takes_long_stands_for_no_other
      attempts = later = 0
      gate = Thread::Queue.new
      pool = self.pool do
        attempts += 1
        raise ConnectionError, "no server" if attempts == 1

        gate.pop if attempts == 2
        FakeTrunk.new.tap { |trunk| @opened << trunk }
      end
      assert_raises(ConnectionError) { pool.perform(request) }
      stuck = Thread.new { pool.perform(request) }
      Thread.pass until gate.num_waiting == 1
      Waiting.stub(:now, -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) + later }) do
        patient = waiting(pool) { |asked| pool.perform(asked) }
        later = BackOff::LONGEST_SLOW
        trunk = patient.value
        assert_equal [trunk], @opened
      end
      gate.push(true)
      assert_includes @opened, stuck.value
    end

    def test_a_spare_one_fills_the_place_of_one_that_is_lost
      pool = self.pool(connections: 1, most: 2)
      pool.perform(request)
      pool.check_in(pool.check_out(request))
      pool.lost(@opened.first)
      assert_equal({ shared: 0, pinned: 0, spare: 1, opening: 0 }, pool.counts)
      pool.perform(request)
      assert_equal [1, 1], @opened.map { |trunk| trunk.performed.size }
    end

    def test_a_trunk_that_takes_nothing_is_not_tried_twice
      first = true
      pool = self.pool do |owner|
        takes, first = !first, false
        FakeTrunk.new(takes: takes).tap { |trunk| (@opened << trunk) && (owner.lost(trunk) unless takes) }
      end
      pool.perform(request)
      assert_equal [0, 1], @opened.map { |trunk| trunk.performed.size }
    end

    def test_closing
      pool, own, thread = lent_to_one_while_another_waits
      pool.close
      assert_raises(Closed) { thread.value }
      assert_equal ["the client was closed"] * 2, @opened.map(&:closed)
      assert_raises(Closed) { pool.perform(request) }
      assert_raises(Closed) { pool.check_out(request) }
      pool.check_in(own)
      pool.close
    end

    def test_closing_is_not_done_by_halves
      pool = self.pool
      Array.new(2) { pool.check_out(request) }
      interrupt_in(@opened.first, :close)
      assert_raises(Interrupted) { pool.close }
      assert_equal ["the client was closed"] * 2, @opened.map(&:closed)
    end

    # What has not been taken out yet is for all, until another caller does that.
    def test_disconnecting_that_is_interrupted
      pool = self.pool
      Array.new(2) { pool.check_out(request) }.each { |trunk| pool.check_in(trunk) }
      @opened.each { |trunk| interrupt_in(trunk, :retire) }
      assert_raises(Interrupted) { pool.renew }
      assert_equal [1, 1], [@opened.count(&:closed), pool.counts.values.sum]
    end

    def test_a_connection_that_is_opened_while_it_closes
      gate = Thread::Queue.new
      pool = self.pool { FakeTrunk.new.tap { |trunk| (@opened << trunk) && gate.pop } }
      opener = Thread.new { pool.perform(request) }
      opener.report_on_exception = false
      Thread.pass until opener.stop?
      pool.close
      gate.push(true)
      assert_raises(Closed) { opener.value }
      assert_equal ["the client was closed"], @opened.map(&:closed)
    end

    private

    # A caller of this method of the trunk is interrupted in it, where it sleeps.
    def interrupt_in(trunk, name)
      trunk.define_singleton_method(name) do |reason|
        super(reason)
        Thread.current.raise(Interrupted)
        sleep(0)
      end
    end
  end
end
