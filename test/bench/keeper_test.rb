# frozen_string_literal: true

require "test_helper"
require "rbconfig"

# No private server outlives the program that started it, however that ends.
class KeeperTest < Trunkline::TestCase
  # The parent of the tests may ignore the signal that is to end it, as nohup does.
  PROGRAM = <<~RUBY
    %w[INT TERM HUP].each { |signal| trap(signal, "DEFAULT") }
    require #{File.expand_path("../../bench/support/servers/postgres_server", __dir__).inspect}
    $stdout.sync = true
    puts Trunkline::Bench::Keeper.instance.folder
    puts Trunkline::Bench::PostgresServer.start.pid
    $stdin.read
  RUBY
  private_constant :PROGRAM

  %w[INT TERM HUP KILL].each do |signal|
    define_method("test_nothing_is_left_after_#{signal}") { assert_clean_after(lines: 2) { |pid| Process.kill(signal, pid) } }

    define_method("test_nothing_is_left_after_#{signal}_during_initdb") { assert_clean_after(lines: 1) { |pid| Process.kill(signal, pid) } }
  end

  def test_nothing_is_left_after_a_normal_end
    assert_clean_after(lines: 2) { |_, input| input.close }
  end

  def test_a_failing_program_says_why
    keeper = Trunkline::Bench::Keeper.instance
    error = assert_raises(RuntimeError) { keeper.run("ls", "/there/is/none", log: File.join(keeper.folder, "ls.log")) }
    assert_match(/ls failed:.*none/m, error.message)
  end

  def test_a_program_that_does_not_exist_is_an_error
    keeper = Trunkline::Bench::Keeper.instance
    assert_raises(RuntimeError) { keeper.spawn("/there/is/none", log: File.join(keeper.folder, "none.log")) }
  end

  private

  # The keeper holds the program's standard error as long as it lives: when that ends, its work is done.
  def assert_clean_after(lines:)
    input, output, errors, thread = Open3.popen3(RbConfig.ruby, "-e", PROGRAM)
    folder, server = Array.new(lines) { output.gets.chomp }
    yield thread.pid, input
    errors.read
    refute_path_exists folder
    assert_raises(Errno::ESRCH) { Process.kill(0, server.to_i) } if server
  ensure
    [input, output, errors].each(&:close)
    thread.join
  end
end
