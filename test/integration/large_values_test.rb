# frozen_string_literal: true

require "suites"
require "support/neighbourhood"

# What does not fit any buffer goes through, and the neighbours with it.
class LargeValuesTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async
  include Neighbourhood

  LARGE = 50_000_000 # bytes
  private_constant :LARGE

  def test_a_large_parameter_amid_neighbours
    text = "x" * LARGE
    assert_equal LARGE, (amid_neighbours { |db| db.value("SELECT length($1::text)", text) })
  end

  def test_a_large_result_amid_neighbours
    assert_equal ["x" * 100, LARGE], (amid_neighbours { |db| db.value("SELECT repeat('x', #{LARGE})").then { |text| [text[-100..], text.size] } })
  end

  def test_many_rows_amid_neighbours
    rows = amid_neighbours { |db| db.query("SELECT n, n::text AS t FROM generate_series(1, 100000) AS n").rows }
    assert_equal [100_000, [100_000, "100000"]], [rows.size, rows.last]
  end

  # Both directions full at once: neither side may wait for the other.
  def test_large_results_while_large_parameters_are_written
    in_host_with_client(connections: 1) do |db|
      text = "y" * 5_000_000
      sizes = side_by_side(1..8) { |number| number.odd? ? db.value("SELECT $1::text || $1::text", text).size : db.value("SELECT length($1::text)", text) }
      assert_equal [10_000_000, 5_000_000] * 4, sizes
    end
  end

  def test_the_same_in_plain_threads
    with_client(connections: 1) do |db|
      text = "y" * 5_000_000
      threads = Array.new(6) { Thread.new { db.value("SELECT $1::text || $1::text", text).size } }
      assert_equal [10_000_000] * 6, threads.map(&:value)
    end
  end

  def test_the_same_as_futures
    in_host_with_client(connections: 1) do |db|
      text = "z" * 5_000_000
      futures = Array.new(4) { db.async("SELECT $1::text || $1::text", text) }
      assert_equal [10_000_000] * 4, (futures.map { |future| future.value.value.size })
    end
  end

  def test_bytes_of_every_kind
    bytes = Random.new(Minitest.seed).bytes(10_000_000)
    in_host_with_client(connections: 1) do |db|
      2.times { assert_equal bytes, db.value("SELECT $1::bytea", bytes) }
      assert_equal [bytes.b, nil], db.query("SELECT $1::bytea[]", [bytes, nil]).value
    end
  end

  def test_large_statements
    in_host_with_client(connections: 1) do |db|
      3.times { |number| assert_equal 20_000_000 + number, db.value("SELECT length('#{"s" * (20_000_000 + number)}')") }
    end
  end

  # The caller learns what was too long; the connection goes on.
  def test_a_value_that_is_too_long_to_be_taken
    in_host_with_client(connections: 1) do |db|
      error = assert_raises(Trunkline::UnreadableResult) { db.query("SELECT repeat('x', 300000000)") }
      assert_match(/a row has 300000011 bytes, and the client takes 268435456 \(max_message:\)/, error.message)
      assert_equal 1, db.value("SELECT 1")
    end
  end
end
