# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require "support/leeway"

# A client that is closed, or dropped without that, leaves nothing in the thread that used it, whatever it was used for.
class DroppedClientsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Leeway

  # Each leaves nothing to wait for but what its name tells.
  USES = {
    a_query: ->(db) { db.value("SELECT 1") }, a_transaction: ->(db) { db.transaction { |tx| tx.value("SELECT 1") } },
    a_future_without_an_answer: ->(db) { db.async("SELECT 1") }, a_future_beside_a_query: ->(db) { [db.async("SELECT 1"), db.value("SELECT 2")] },
    a_subscription: ->(db) { db.listen("dropped") }
  }.freeze
  CLIENTS = 20
  # Clients that the machine's stack may still point to.
  LEFT = 4
  private_constant :USES, :CLIENTS, :LEFT

  USES.each do |name, use|
    define_method(:"test_after_#{name}") do
      { closed: :close, dropped: :itself }.each do |how, last|
        before = traces
        Thread.new { CLIENTS.times { make_one(use, last) } }.join
        CLIENTS.times { make_one(use, last) }
        GC.start
        traces.zip(before) { |now, earlier| assert_operator now, :<=, earlier + LEFT, how }
      end
    end
  end

  # The next subscription that begins takes those off the list that were dropped.
  def test_the_server_hears_of_dropped_subscriptions
    with_client(application_name: name = unique_name) do |db|
      kept = db.listen("kept")
      Thread.new { CLIENTS.times { |number| db.listen("dropped#{number}") } }.join
      GC.start
      db.listen("last")
      commands = psql("SELECT query FROM pg_stat_activity WHERE application_name = '#{name}' AND query LIKE '%LISTEN%'").join
      assert_operator commands.scan("UNLISTEN \"dropped").size, :>=, CLIENTS - LEFT
      db.notify("kept", "there")
      assert_equal "there", kept.wait.payload
    end
  end

  # It may be the only one that a caller can have for its own.
  def test_the_connection_of_dropped_subscriptions_is_free
    with_seconds(:DroppedCallers, :COLLECT_EVERY, 1.0) do
      with_client(connections: 1, max_connections: 2, max_wait: 20) do |db|
        2.times do
          drop_subscriptions(db)
          assert_equal [1, 1], [db.stats[:pinned], db.transaction { |tx| tx.value("SELECT 1") }]
        end
        drop_subscriptions(db)
        db.transaction { |tx| tx.value("SELECT 1") }
        later = db.listen("later") # which has missed nothing
        db.notify("later", "there")
        assert_equal "there", later.wait.payload
      end
    end
  end

  def test_the_connection_of_a_subscription_that_is_referred_to_is_kept
    with_client(connections: 1, max_connections: 2, max_wait: 3) do |db|
      kept = db.listen("kept")
      drop_subscriptions(db)
      assert_raises(Trunkline::Overloaded) { db.transaction { |tx| tx.value("SELECT 1") } }
      db.notify("kept", "there")
      assert_equal "there", kept.wait.payload
    end
  end

  private

  def drop_subscriptions(db) = Thread.new { 3.times { |number| db.listen("dropped#{number}") } }.join

  def make_one(use, last)
    with = Trunkline.postgres(postgres_server.uri, connections: 1, max_connections: 2)
    use.call(with)
    with.public_send(last)
    nil
  end

  # @return [Array<Integer>] clients and sockets that there are, and what the thread has been left
  def traces
    GC.start
    [ObjectSpace.each_object(Trunkline::Postgres::Client).count, Dir.children("/proc/self/fd").size,
     Thread.current.keys.size, Thread.current.thread_variables.size, Thread.current.instance_variables.size]
  end
end
