# frozen_string_literal: true

require_relative "database_helpers"
require_relative "watchdog"
require_relative "schedulers/hosts"

# Tests of a thread that is interrupted at each possible place, beside others that depend on it: they get their answers, and afterwards the client is
# as if the thread had never run. The including test defines in `disturb` how.
module BesideOthers
  include DatabaseHelpers

  # A query that takes the server a moment, so that other requests come meanwhile.
  MOMENT = "SELECT 1 FROM pg_sleep(0.001)"

  private

  # Runs it in a thread, each time with a new client, until no new place is found.
  #
  # @param places [Places, Switches] where the victim is disturbed
  # @param victim [Proc] with the client
  # @yield what each of the others does meanwhile
  # @yieldparam number [Integer] which of them it is
  # @yieldreturn the number
  def everywhere(places, victim, connected: true, **options, &others)
    nil while with_client(connections: 1, max_connections: 2, application_name: name = unique_name, **options) do |db|
      Array.new(2) { db.async(MOMENT) }.each(&:value) if connected
      disturbed_beside_others?(db, places, victim, others).tap { assert_at_rest(db, name, places.last) }
    end
    assert_operator places.count, :>, 3
  end

  def value_of(thread, place)
    faults = Watchdog.join(thread, Hosts::LIMIT)
    assert_nil faults, "hangs in #{thread.backtrace&.first(12)}, it was disturbed at #{place}"
    thread.value
  end

  # No caller waits, nothing is leased, and there are only the connections that the client has.
  def assert_at_rest(db, name, place)
    assert_equal [1, 2, 3], [ask(db, 1), ask(db, 2), db.transaction { |tx| ask(tx, 3) }], place
    stats = db.stats
    assert_equal [0] * 4, [stats[:opening], stats[:pinned], *stats[:queue].values_at(:to_share, :to_pin)], place
    assert_equal stats[:open], stats[:shared] + stats[:spare], place
    assert eventually { sessions(name).size == stats[:open] }, place
  end

  def ask(db, number) = db.value("SELECT $1::int", number)
end
