# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "stringio"
require "trunkline/cli/command"

# The gem's command: its arguments, and how it ends.
class CommandTest < Trunkline::TestCase
  ROOT = File.expand_path("../..", __dir__)
  private_constant :ROOT

  def test_help
    [[], ["help"], ["--help"], ["-h"]].each do |arguments|
      status, out, = run_command(*arguments)
      assert_equal 0, status
      assert_includes out, "trunkline doctor"
    end
    status, out, = run_command("doctor", "--help")
    assert_equal 0, status
    assert_match(/--max-connections N .*; 16/, out)
  end

  def test_nonsense
    { ["operate"] => "no command operate", ["doctor", "--knife"] => "invalid option: --knife", ["doctor", "a=b", "c=d"] => "needless argument: c=d",
      ["doctor", "--processes", "0"] => "processes must be positive", ["doctor", "--max-connections", "0"] => "max_connections must be a positive Integer",
      ["doctor", "--connections", "3", "--max-connections", "2"] => "max_connections must be at least connections (3)",
      ["doctor", "nonsense=1"] => "unknown connection option (connection string)" }.each do |arguments, reason|
      status, out, err = run_command(*arguments)
      assert_equal [2, ""], [status, out], arguments.inspect
      assert_includes err, reason
    end
  end

  def test_the_program
    command = [RbConfig.ruby, "-w", "-I#{ROOT}/lib", "#{ROOT}/exe/trunkline"]
    output, status = Open3.capture2e(*command, "--version")
    assert_equal ["#{Trunkline::VERSION}\n", 0], [output, status.exitstatus]
    assert_equal 2, Open3.capture2e(*command, "operate").last.exitstatus
  end

  private

  def run_command(*arguments)
    out = StringIO.new
    err = StringIO.new
    [Trunkline::CLI::Command.new(out: out, err: err).run(arguments), out.string, err.string]
  end
end
