# frozen_string_literal: true

require "test_helper"
require "support/beside_others"
require "support/gated"
require "support/switches"

# A thread that has to give way to others between any two steps of the client: what it has seen before may not hold any more.
class SwitchedBesideOthersTest < Trunkline::TestCase
  include BesideOthers
  include Gated
  include Hosts::Threads

  # As short as a head can be that is worth cancelling: its answer comes at any moment of the cancel.
  BRIEF = "SELECT pg_sleep(0.002)"
  # So often in a row a victim finds no new place: not every run takes the same way.
  ENOUGH = 3
  private_constant :BRIEF, :ENOUGH

  def setup
    super
    @done = 0
  end

  def test_one_that_cancels
    everywhere(switches(1), ->(db) { db.async(BRIEF).cancel }) { |db, number| ask(db, number) }
  end

  def test_one_whose_deadline_passes
    everywhere(switches(1), ->(db) { late { db.value(BRIEF, deadline: 0.002) } }) { |db, number| ask(db, number) }
  end

  def test_one_whose_deadline_passes_in_a_transaction
    everywhere(switches, ->(db) { late { db.transaction { |tx| tx.value(BRIEF, deadline: 0.002) } } }) { |db, number| ask(db, number) }
  end

  def test_one_that_queries_while_others_cancel
    everywhere(switches, ->(db) { ask(db, 1) }) do |db, number|
      db.async(BRIEF).cancel
      ask(db, number)
    end
  end

  def test_one_that_sends_and_awaits_later
    everywhere(switches, ->(db) { Array.new(2) { db.async(MOMENT) }.each(&:value) }) { |db, number| ask(db, number) }
  end

  def test_one_that_has_a_transaction
    everywhere(switches, ->(db) { db.transaction { |tx| ask(tx, 1) } }) { |db, number| db.transaction { |tx| ask(tx, number) } }
  end

  def test_one_that_disconnects
    everywhere(switches, lambda(&:disconnect)) { |db, number| ask(db, number) }
  end

  def test_one_that_waits_in_line
    everywhere(switches, ->(db) { ask(db, 1) }, max_in_flight: 1) { |db, number| ask(db, number) }
  end

  # Nothing is left to cancel, and nothing keeps the connection shut.
  def test_a_query_that_is_answered_while_its_cancel_begins
    gated(connections: 1, max_connections: 2) do |db, proxy|
      proxy.hold(:answers)
      future = db.async("SELECT 1")
      waiting = later { future.value }
      cancelled = at_return_of(:begin_cancel, -> { proxy.release(:answers) && waiting.value }) { future.cancel }
      assert_equal [false, 1, 1, 0], [cancelled, ask(db, 1), *db.stats.values_at(:open, :cancelled)]
    end
  end

  private

  # @param most [Integer] of one run; what is to come together with an answer must not come after it, and has a run of its own
  def switches(most = 50) = Switches.new(most: most) { @done }

  # @return [false] all places were tried
  def disturbed_beside_others?(db, places, victim, others)
    going = true
    callers = [1, 2, 3].map { |number| Thread.new { go_on(db, number, others) { going } } }
    switched = Thread.new { switch_everywhere(places) { victim.call(db) } }
    value_of(switched, places.last).tap do
      going = false
      assert_equal [1, 2, 3], callers.map { |caller| value_of(caller, places.last) }
    end
  ensure
    going = false
  end

  # @return [false]
  def switch_everywhere(places, &victim)
    runs = 0
    places.switch(&victim) ? runs = 0 : runs += 1 until runs == ENOUGH
    false
  end

  def go_on(db, number, others)
    begin
      got = others.call(db, number)
      @done += 1
    end while got == number && yield
    got
  end

  def late
    yield
  rescue Trunkline::Deadline
    nil
  end

  # Runs the block, and in its thread the other one where that method of a connection has returned.
  def at_return_of(method, reached, &block)
    TracePoint.new(:c_return) { |point| reached.call if point.method_id == method }.enable(target_thread: Thread.current, &block)
  end
end
