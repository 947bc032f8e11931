# frozen_string_literal: true

require "test_helper"
require "support/schedulers/reference_scheduler"
require_relative "../../rakelib/scheduler_trials"

# What rake schedulers runs under the schedulers of others, under one that keeps to all that Ruby asks of it; and that it sees what goes wrong.
class SchedulerProgramsTest < Trunkline::TestCase
  GUIDE = File.expand_path("../../guides/fibers-threads-and-forks.md", __dir__)
  FIBERS = 12
  # Gives another answer to one of the values than was asked for.
  Lying = Struct.new(:client) do
    def value(sql, *parameters, **options) = parameters == [7] ? 8 : client.value(sql, *parameters, **options)
    def respond_to_missing?(...) = true
    def method_missing(...) = client.public_send(...)
  end
  private_constant :GUIDE, :FIBERS, :Lying

  SchedulerPrograms::ALL.each_key do |name|
    define_method(:"test_#{name.tr(" ", "_")}") { assert_operator run_program(name), :>=, name.start_with?("no client: T") ? FIBERS : 1 }
  end

  def test_a_wrong_answer_is_seen
    error = assert_raises(RuntimeError) { run_program("deadlines") { Lying.new(Trunkline.postgres(postgres_server.uri)) } }
    assert_equal "8 in the place of 7", error.message
  end

  # The guide's table says what these versions do.
  def test_the_guide_names_the_versions_that_run
    lines = File.readlines(GUIDE, encoding: "UTF-8")
    SchedulerTrials::GEMS.each { |name, (version, _)| assert lines.any? { |line| line.start_with?("|") && line.include?(name) && line.include?(version) }, name }
  end

  private

  def run_program(name, &client) = ReferenceScheduler.run { SchedulerPrograms.new(postgres_server.uri, seed: Minitest.seed, seconds: 1, client: client).run(name) }
end
