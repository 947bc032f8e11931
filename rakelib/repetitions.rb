# frozen_string_literal: true

require "etc"
require "rbconfig"

# Runs the tests repeatedly, each time with another seed and another uptime of the machine, every other time beside load, until they fail: to find
# tests that fail only sometimes.
class Repetitions
  # Seconds of uptime for the tests: a Float is more precise in the first minute than after years.
  UPTIMES = (60..300_000_000)
  # A time namespace has its own CLOCK_MONOTONIC (time_namespaces(7)).
  SHIFT = %w[unshare --time --fork --monotonic].freeze
  BUSY = [RbConfig.ruby, "--disable=gems", "-e", "Process.getpgid(#{Process.pid}) while true"].freeze
  private_constant :UPTIMES, :SHIFT, :BUSY

  # @param command [Array<String>] runs the tests, with the seed in SEED
  # @param random [Random]
  # @param output [IO]
  def initialize(command = %w[bundle exec rake test], random: Random.new, output: $stdout)
    @command = command
    @random = random
    @output = output
    @shifts = system(*SHIFT, "1", "true", %i[out err] => File::NULL)
  end

  # @param times [Integer]
  # @return [Boolean] whether all runs have passed; none follows one that has failed
  def run(times) = (1..times).all? { |number| run_once(number, times) }

  private

  def run_once(number, times)
    seed, uptime, load = @random.rand(1 << 16), log_uniform, number.even?
    @output.puts "run #{number} of #{times}: SEED=#{seed}, #{@shifts ? "up for #{uptime} s" : "uptime as it is"}, #{load ? "beside load" : "without load"}"
    @output.flush
    beside(load ? Etc.nprocessors : 0) { system({ "SEED" => seed.to_s }, *(shift_to(uptime) if @shifts), *@command) }
  end

  def log_uniform = (UPTIMES.min * ((UPTIMES.max / UPTIMES.min.to_f)**@random.rand)).round

  def shift_to(uptime) = [*SHIFT, (uptime - Process.clock_gettime(Process::CLOCK_MONOTONIC)).floor.to_s]

  # Runs the block while so many processes compute. They end with this one.
  def beside(count)
    busy = Array.new(count) { Process.spawn(*BUSY, err: File::NULL) }
    yield
  ensure
    busy.each { |pid| Process.kill("KILL", pid) && Process.wait(pid) }
  end
end
