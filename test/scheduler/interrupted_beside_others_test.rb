# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require "support/interruptions"
require "support/places"
require "support/schedulers/hosts"

# A thread that is interrupted wherever it can be, beside others who depend on it: they get their answers, and the client is as if he
# had never been there.
class InterruptedBesideOthersTest < Trunkline::TestCase
  include DatabaseHelpers
  include Interruptions

  # A scheduler in which whoever wakes its fibers from another thread sleeps, before and after.
  class SleepyScheduler < ReferenceScheduler
    def unblock(blocker, fiber)
      return super if Thread.current.equal?(@thread)

      sleep(0)
      super
      sleep(0)
    end
  end

  # Requests that the server takes a moment for, so that others come meanwhile.
  MOMENT = "SELECT 1 FROM pg_sleep(0.001)"
  private_constant :MOMENT

  def test_one_who_asks
    everywhere(->(db) { db.value(MOMENT) }) { |db, number| ask(db, number) }
  end

  def test_one_who_waits_in_line
    everywhere(->(db) { db.value(MOMENT) }, max_in_flight: 1) { |db, number| ask(db, number) }
  end

  def test_one_who_has_a_transaction
    everywhere(->(db) { db.transaction { |tx| tx.value(MOMENT) } }) { |db, number| db.transaction { |tx| ask(tx, number) } }
  end

  def test_one_who_waits_for_a_future
    everywhere(->(db) { db.async(MOMENT).value }) { |db, number| ask(db, number) }
  end

  def test_one_who_cancels
    everywhere(->(db) { db.async("SELECT pg_sleep(0.05)").cancel }) { |db, number| ask(db, number) }
  end

  def test_one_who_opens_the_first_connection
    everywhere(->(db) { db.value(MOMENT) }, connected: false) { |db, number| ask(db, number) }
  end

  def test_one_who_disconnects
    everywhere(lambda(&:disconnect), connections: 2, max_connections: 3) { |db, number| ask(db, number) }
  end

  def test_one_who_wakes_fibers_of_others
    everywhere(->(db) { db.value(MOMENT) }, max_in_flight: 1) do |db, number|
      SleepyScheduler.run { Array.new(2) { Caller.new { ask(db, number) } }.map(&:value).uniq.first }
    end
  end

  private

  # Runs it in a thread, with a client of its own each time and interrupted at another place, until no place is new.
  #
  # @param victim [Proc] with the client
  # @yield what each of the others does meanwhile
  # @yieldparam number [Integer] which of them it is
  # @yieldreturn the number
  def everywhere(victim, connected: true, **options, &others)
    places = Places.new
    nil while with_client(connections: 1, max_connections: 2, application_name: name = unique_name, **options) do |db|
      Array.new(2) { db.async(MOMENT) }.each(&:value) if connected
      interrupted_beside_others?(db, places, victim, others).tap { assert_at_rest(db, name, places.last) }
    end
    assert_operator places.count, :>, 3
  end

  # @return [Boolean] whether there was a new place
  def interrupted_beside_others?(db, places, victim, others)
    interrupted = Thread.new { interrupted?(places) { victim.call(db) } }
    callers = [1, 2, 3].map { |number| Thread.new { others.call(db, number) } }
    assert_equal [1, 2, 3], callers.map { |caller| value_of(caller, places.last) }
    value_of(interrupted, places.last)
  end

  # What he is told himself is his affair.
  def interrupted?(places, &victim)
    places.interrupt(Cancelled, &victim)
  rescue Trunkline::Error
    true
  end

  def value_of(thread, place)
    assert thread.join(Hosts::LIMIT), "hangs in #{thread.backtrace&.first(12)}, the interrupt was at #{place}"
    thread.value
  end

  # Nobody waits and nothing is anybody's, and there is no connection more than the client knows of.
  def assert_at_rest(db, name, place)
    assert_equal [1, 2, 3], [ask(db, 1), ask(db, 2), db.transaction { |tx| ask(tx, 3) }], place
    stats = db.stats
    assert_equal [0] * 4, [stats[:opening], stats[:pinned], *stats[:queue].values_at(:length, :alone)], place
    assert_equal stats[:open], stats[:shared] + stats[:spare], place
    assert eventually { sessions(name).size == stats[:open] }, place
  end

  def ask(db, number) = db.value("SELECT $1::int", number)
end
