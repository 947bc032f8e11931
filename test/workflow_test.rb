# frozen_string_literal: true

require "test_helper"
require "open3"
require "yaml"

# The public workflow: it runs on each platform that is promised, and only calls scripts and tasks of the project.
class WorkflowTest < Trunkline::TestCase
  ROOT = File.expand_path("..", __dir__)
  JOBS = YAML.load_file(File.join(ROOT, ".github/workflows/test.yml")).fetch("jobs")
  # What prepares a machine, and is not the project's.
  PREPARING = /\A(?:(?:sudo )?apt-get|apk add|brew install|echo|git config|bundle install)\b/.freeze
  private_constant :ROOT, :JOBS, :PREPARING

  def test_it_runs_on_each_platform
    rubies = JOBS.dig("linux", "strategy", "matrix", "ruby")
    assert_equal ["3.1", "3.2", "3.3", "3.4", "head"], rubies
    assert_match(/macos/, JOBS.dig("macos", "runs-on"))
    assert_match(/alpine/, JOBS.dig("alpine", "container"))
  end

  def test_it_calls_scripts_and_tasks_that_exist
    commands = JOBS.values.flat_map { |job| job["steps"].filter_map { |step| step["run"] } }.flat_map(&:lines).map(&:chomp).grep_v(PREPARING)
    tasks, status = Open3.capture2("bundle", "exec", "rake", "--all", "--tasks", chdir: ROOT)
    assert_predicate status, :success?
    known = tasks.scan(/^rake ([\w:]+)/).flatten
    commands.each do |command|
      if (task = command[/\Abundle exec rake ([\w:]+)\z/, 1])
        assert_includes known, task
      else
        assert File.executable?(File.join(ROOT, command[%r{\Abin/\w+(?= |\z)}] || command)), command
      end
    end
    assert_equal JOBS.size, commands.grep(/\b(?:test|platforms|quick)\b/).size, "each job tests"
  end
end
