# frozen_string_literal: true

require "test_helper"
require "support/call_counts"
require "support/database_helpers"
require "support/replica_servers"

# How many steps the usual ways take, as calls of methods in Ruby and in C: they cannot become more unnoticed. The upper bounds are what was
# counted; where a way becomes shorter, so does its bound.
class CallCountsTest < Trunkline::TestCase
  include Trunkline::ReplicaServers
  include CallCounts
  include DatabaseHelpers

  ASK = "SELECT $1::int"
  WARM = 60 # calls, after which types and times are known
  private_constant :ASK, :WARM

  def test_a_query
    with_one_connection { |db| assert_calls([3, 5], "db.query") { db.query(ASK, 1) } }
  end

  def test_a_query_with_a_deadline
    with_one_connection { |db| assert_calls([5, 7], "db.query(deadline: 5)") { db.query(ASK, 1, deadline: 5) } }
  end

  def test_a_query_with_settings
    with_one_connection do |db|
      ask = -> { db.query(ASK, 1, settings: { "app.tenant" => "7" }) }
      WARM.times { ask.call }
      assert_calls([21, 14], "db.query(settings:)", &ask)
    end
  end

  def test_a_read_of_a_replica
    with_replicas do |db,|
      ask = -> { db.replica.query(ASK, 1) }
      WARM.times { ask.call }
      assert_calls([29, 52], "db.replica.query", &ask)
    end
  end

  def test_a_query_in_a_transaction
    with_one_connection { |db| db.transaction { |tx| assert_calls([12, 13], "tx.query") { tx.query(ASK, 1) } } }
  end

  def test_a_transaction_with_one_query
    with_one_connection do |db|
      transact = -> { db.transaction { |tx| tx.query(ASK, 1) } }
      WARM.times { transact.call }
      assert_calls([130, 86], "db.transaction", &transact)
    end
  end

  def test_a_deadline_that_passes
    with_one_connection do |db|
      assert_calls([39, 48], "Deadline", before: -> { db.query(ASK, 1) }) { assert_raises(Trunkline::Deadline) { db.query("SELECT pg_sleep(60)", deadline: 0.05) } }
    end
  end

  def test_a_lost_connection
    with_one_connection do |db|
      assert_calls([73, 64], "Indeterminate", before: -> { db.query(ASK, 1) }) do
        assert_raises(Trunkline::Error) { db.query("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(60)") }
      end
    end
  end

  private

  # In a thread of its own: where plain fibers of the calling one have been dropped in a transaction, each transaction looks for them until
  # they are collected, which takes five calls more.
  def with_one_connection
    Thread.new do
      with_client(connections: 1, max_connections: 1) do |db|
        WARM.times { db.query(ASK, 1) }
        yield db
      end
    end.join
  end
end
