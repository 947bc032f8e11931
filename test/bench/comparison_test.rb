# frozen_string_literal: true

require "test_helper"
require_relative "../../bench/support/comparison"

class ComparisonTest < Trunkline::TestCase
  # A side that answers what it was told to.
  Peer = Struct.new(:answers, :walls) do
    def answers? = true

    def session_name = "absent"

    def call(method, **)
      method == :answers ? answers : { wall: walls.shift, cpu: 0.002, objects: 3000, result: 1000 }
    end
  end
  private_constant :Peer

  def test_sides_that_answer_alike_pass
    assert_nil compare("one" => Peer.new([1, 2]), "other" => Peer.new([1, 2])).check
  end

  def test_sides_that_answer_differently_are_not_timed
    error = assert_raises(RuntimeError) { compare("one" => Peer.new([1, 2]), "other" => Peer.new([1, 3])).check }
    assert_match(/do not return the same.*other.*1, 3/, error.message)
  end

  def test_medians_of_runs
    results = compare("one" => Peer.new([], [5.0, 1.0, 2.0])).measure(runs: 3)
    assert_equal({ wall: 2.0, connections: 0 }, results.fetch("one").slice(:wall, :connections))
  end

  def test_rates_per_query
    rates = compare("one" => Peer.new([], [1.0, 0.5])).rates(runs: 1, seconds: 1).fetch("one")
    assert_equal({ rate: 2000.0, cpu_each: 2.0, objects_each: 3.0 }, rates.slice(:rate, :cpu_each, :objects_each))
  end

  private

  def compare(sides) = Trunkline::Bench::Comparison.new(postgres_server, sides)
end
