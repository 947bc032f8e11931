# frozen_string_literal: true

require "test_helper"
require "stringio"
require "tempfile"
require_relative "../../rakelib/repetitions"

# The tests' repetition: other seeds, other uptimes, and an end with the first failure.
class RepetitionsTest < Trunkline::TestCase
  TOLD = /^run (\d+) of \d+: SEED=(\d+), (?:up for (\d+) s|uptime as it is), (beside load|without load)$/
  private_constant :TOLD

  def test_each_run_has_another_seed_and_another_uptime
    passed, told, seen = repeat(3, "true")
    assert passed
    assert_equal told.map { |run| run[1] }, seen.map(&:first)
    assert_equal [3, ["without load", "beside load", "without load"]], [seen.uniq.size, told.map(&:last)]
    told.zip(seen).each { |run, (_, clock)| assert_in_delta run[2].to_f, clock.to_f, 30 if run[2] }
  end

  def test_none_follows_one_that_has_failed
    passed, told, seen = repeat(5, "File.readlines(ARGV[0]).size < 2")
    assert_equal [false, 2, 2], [passed, told.size, seen.size]
  end

  private

  # @param condition [String] Ruby, for a run to pass
  # @return [Array(Boolean, Array, Array)] whether all have passed, what was told of each run, and what each saw
  def repeat(times, condition)
    Tempfile.create("seen") do |seen|
      program = 'File.write(ARGV[0], "#{ENV["SEED"]} #{Process.clock_gettime(Process::CLOCK_MONOTONIC)}\n", mode: "a"); exit(' + condition + ")"
      output = StringIO.new
      passed = Repetitions.new([RbConfig.ruby, "--disable=gems", "-e", program, seen.path], random: Random.new(1), output: output).run(times)
      [passed, output.string.scan(TOLD), File.readlines(seen.path).map(&:split)]
    end
  end
end
