# frozen_string_literal: true

require "test_helper"

# All benches there are: each loads, says what it takes, and is told of in their list.
class BenchesTest < Trunkline::TestCase
  FOLDER = File.expand_path("../../bench", __dir__)
  BENCHES = Dir[File.join(FOLDER, "*.rb")].sort
  RUNS = /options\.runs|AccountsExperiment|selects_and_rows/ # in the bench, or in what it is made of
  private_constant :FOLDER, :BENCHES, :RUNS

  def test_each_says_what_it_takes
    BENCHES.each { |path| assert_match(%r{\AUsage: bin/(bench )?#{File.basename(path, ".rb")}\b.*--save}m, help_of(path)) }
  end

  # A bench that would not do so may not write into its table that it gives medians.
  def test_each_that_takes_a_number_of_runs_makes_them
    BENCHES.each { |path| assert_equal File.read(path).match?(RUNS), help_of(path).include?("--runs"), path }
  end

  def test_the_list_has_them_all
    list = File.read(File.join(FOLDER, "README.md"), encoding: "UTF-8")
    assert_empty(BENCHES.map { |path| File.basename(path, ".rb") }.reject { |name| list.match?(/`#{name}`|bin\/bench #{name}\b/) })
  end

  private

  # In a fork, which has loaded most of it already.
  def help_of(path)
    IO.popen("-") { |help| help ? help.read : say_help(path) }
  end

  def say_help(path)
    $PROGRAM_NAME = path
    ARGV.replace(%w[--help])
    load path
  ensure
    $stdout.flush
    exit!
  end
end
