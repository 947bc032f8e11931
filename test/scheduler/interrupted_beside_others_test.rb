# frozen_string_literal: true

require "test_helper"
require "support/beside_others"
require "support/interruptions"
require "support/places"
require "support/schedulers/hosts"

# A thread that is interrupted wherever it can be, beside others that depend on it: they get their answers, and the client is as if it
# had never been there.
class InterruptedBesideOthersTest < Trunkline::TestCase
  include BesideOthers
  include Interruptions

  # A scheduler in which a caller that wakes its fibers from another thread sleeps, before and after.
  class SleepyScheduler < ReferenceScheduler
    def unblock(blocker, fiber)
      return super if Thread.current.equal?(@thread)

      sleep(0)
      super
      sleep(0)
    end
  end

  def test_one_with_queries
    everywhere(Places.new, ->(db) { db.value(MOMENT) }) { |db, number| ask(db, number) }
  end

  def test_one_in_the_queue
    everywhere(Places.new, ->(db) { db.value(MOMENT) }, max_in_flight: 1) { |db, number| ask(db, number) }
  end

  def test_one_that_has_a_transaction
    everywhere(Places.new, ->(db) { db.transaction { |tx| tx.value(MOMENT) } }) { |db, number| db.transaction { |tx| ask(tx, number) } }
  end

  def test_one_that_waits_for_a_future
    everywhere(Places.new, ->(db) { db.async(MOMENT).value }) { |db, number| ask(db, number) }
  end

  def test_one_that_cancels
    everywhere(Places.new, ->(db) { db.async("SELECT pg_sleep(0.05)").cancel }) { |db, number| ask(db, number) }
  end

  def test_one_that_opens_the_first_connection
    everywhere(Places.new, ->(db) { db.value(MOMENT) }, connected: false) { |db, number| ask(db, number) }
  end

  def test_one_that_disconnects
    everywhere(Places.new, lambda(&:disconnect), connections: 2, max_connections: 3) { |db, number| ask(db, number) }
  end

  def test_one_that_wakes_fibers_of_others
    everywhere(Places.new, ->(db) { db.value(MOMENT) }, max_in_flight: 1) do |db, number|
      SleepyScheduler.run { Array.new(2) { Caller.new { ask(db, number) } }.map(&:value).uniq.first }
    end
  end

  private

  # @return [Boolean] whether there was a new place
  def disturbed_beside_others?(db, places, victim, others)
    interrupted = Thread.new { interrupted?(places) { victim.call(db) } }
    callers = [1, 2, 3].map { |number| Thread.new { others.call(db, number) } }
    assert_equal [1, 2, 3], callers.map { |caller| value_of(caller, places.last) }
    value_of(interrupted, places.last)
  end

  # What the interrupted thread itself is told does not count.
  def interrupted?(places, &victim)
    places.interrupt(Cancelled, &victim)
  rescue Trunkline::Error
    true
  end
end
