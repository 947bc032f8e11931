# frozen_string_literal: true

require "test_helper"
require "support/forked_programs"

# Programs that are forked from a process that has loaded what they need.
class ForkedProgramsTest < Trunkline::TestCase
  def setup
    super
    @programs = ForkedPrograms.new("--disable=gems", before: "require 'set'; LOADED = [Process.pid, $LOADED_FEATURES.size]", environment: { "RUBYOPT" => nil })
  end

  def teardown
    @programs.close
    super
  end

  def test_each_is_a_process_of_its_own
    seen = Array.new(2) { @programs.run("NEW = 1; print Process.pid, ' ', Process.ppid == LOADED[0], ' ', $LOADED_FEATURES.size == LOADED[1]") }
    pids, loaded = seen.map { |output, success| assert(success, output) && output.split(" ", 2) }.transpose
    assert_equal [2, ["true true"]], [pids.uniq.size, loaded.uniq]
  end

  def test_arguments_and_variables_are_its_own
    assert_equal ["one \"x\" nil", true], @programs.run("$stdout.print ARGV[0]; $stdout.flush; $stderr.print ' ', ENV['A'].inspect, ' ', ENV['B'].inspect", "one", environment: { "A" => "x", "B" => nil })
    assert_equal ["[] nil", true], @programs.run("print ARGV, ' ', ENV['A'].inspect")
  end

  def test_one_that_raises_or_exits_has_failed
    output, success = @programs.run("raise ArgumentError, 'wrong'")
    assert_equal [false, true], [success, output.include?("wrong (ArgumentError)")]
    assert_equal ["", false], @programs.run("exit 3")
    assert_equal ["at the end", true], @programs.run("at_exit { print 'at the end' }")
  end
end
