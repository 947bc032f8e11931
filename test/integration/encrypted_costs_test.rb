# frozen_string_literal: true

require "test_helper"
require "support/call_counts"
require "support/tls_servers"

# What encryption costs in Ruby: nothing. Calls and objects of a query are as many as without.
class EncryptedCostsTest < Trunkline::TestCase
  include CallCounts

  ASK = "SELECT $1::int"
  WARM = 100 # queries, after which types and times are known
  COUNTED = 50
  private_constant :ASK, :WARM, :COUNTED

  def test_calls_of_a_query
    encrypted { |db| assert_calls(fewest_calls, "db.query") { db.query(ASK, 1) } }
  end

  def test_objects_of_a_query
    assert_equal(clear { |db| objects(db) }, encrypted { |db| objects(db) })
  end

  private

  def encrypted(&block) = with_one_connection("sslmode=verify-full&sslrootcert=#{Trunkline::TLSAuthority.shared.root}", &block)
  def clear(&block) = with_one_connection("sslmode=disable", &block)

  # In a thread of its own, as in CallCountsTest.
  def with_one_connection(options)
    Thread.new do
      uri = "postgres://postgres@localhost:#{Trunkline::TLSServers.postgres.port}/postgres?#{options}"
      Trunkline.postgres(uri, connections: 1, max_connections: 1) do |db|
        WARM.times { db.query(ASK, 1) }
        yield db
      end
    end.value
  end

  def fewest_calls = clear { |db| Array.new(COUNTED) { calls { db.query(ASK, 1) } }.min }

  # The fewest of several: a thread switch, or an answer in two parts, adds some.
  def objects(db)
    Array.new(COUNTED) do
      before = GC.stat(:total_allocated_objects)
      db.query(ASK, 1)
      GC.stat(:total_allocated_objects) - before
    end.min
  end
end
