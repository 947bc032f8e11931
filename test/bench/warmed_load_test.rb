# frozen_string_literal: true

require "test_helper"
require_relative "../../bench/support/warmed_load"
require_relative "../../bench/support/web_side"

# Web servers that are compared run beside each other, and are measured in turns: the speed of a machine changes with time.
class WarmedLoadTest < Trunkline::TestCase
  # Stands for what sends requests: tells the seconds of each run, and answers with a number of requests that the block gives.
  class Load
    attr_reader :runs

    def initialize(&answered)
      @answered = answered
      @runs = []
    end

    def closed(web, path, clients:, seconds:)
      @runs << [web.name, path, clients, seconds]
      requests = @answered.call(web.name, seconds, @runs.size)
      { requests: requests, rate: requests / seconds.to_f, errors: 0 }
    end
  end

  Web = Struct.new(:name) do
    def pid = Process.pid
  end
  private_constant :Load, :Web

  def test_the_sides_are_measured_in_turns
    sent = Load.new { |_, seconds, number| 10 * seconds * number }
    found = of(%w[a b], sent, runs: 3)
    assert_equal [["a", 1], ["b", 1], *([["a", 2], ["b", 2]] * 3)], sent.runs.map { |name, _, _, seconds| [name, seconds] }
    assert_equal({ "a" => 50.0, "b" => 60.0 }, found.transform_values { |run| run[:rate] })
  end

  def test_a_run_is_as_long_as_the_first_had_to_be
    sent = Load.new { |_, seconds, _| seconds }
    of(%w[a], sent, runs: 2)
    assert_equal [1, 1, 1, 1, 1, 2, 4, 8, 8], sent.runs.map(&:last)
  end

  def test_a_page_that_no_client_gets_is_given_up
    sent = Load.new { |name, seconds, _| name == "a" ? 0 : 10 * seconds }
    of(%w[a b], sent, runs: 3)
    assert_equal [[1] * 5 + [2, 4, 8, 16], [1, 2, 2, 2]], %w[a b].map { |side| sent.runs.filter_map { |name, _, _, seconds| seconds if name == side } }
  end

  def test_all_are_open_meanwhile_and_end_after_it
    ended = []
    opener = ->(name) { [name.upcase, ->(&use) { use.call(Web.new(name)).tap { ended << name } }] }
    seen = Trunkline::Bench::WebSide.together({ "x" => opener.call("a"), "y" => opener.call("b") }) { |sides| sides.transform_values(&:to_a).tap { assert_empty ended } }
    assert_equal [{ "x" => [Web.new("a"), "A"], "y" => [Web.new("b"), "B"] }, %w[b a]], [seen, ended]
  end

  private

  # With eight clients and runs of two seconds.
  def of(names, sent, runs:)
    load = Trunkline::Bench::WarmedLoad.new(Struct.new(:none) { def psql(*) = "" }.new, clients: 8, runs: runs, seconds: 2, sender: sent)
    load.of(names.to_h { |name| [name, Trunkline::Bench::WebSide.new(Web.new(name), name)] }, "/page")
  end
end
