# frozen_string_literal: true

require "etc"
require "fileutils"
require "rbconfig"
require_relative "process_report"

# One process of a test run: its command, its output, and the results in Minitest's output.
class TestPart
  LOGS = File.expand_path("../tmp/test", __dir__)
  SUMMARY = /^(\d+) runs, (\d+) assertions, (\d+) failures, (\d+) errors, (\d+) skips$/
  TIMED = /^(\S+#\S+) = (\d+\.\d+) s = [.FES]$/
  # Seconds without a line of output after which a part counts as hung: ActiveRecord's own suite, one test here, takes 549 s beside a load of 8, and was not
  # done after 900 at 13.
  SILENCE_SECONDS = 1800
  GRACE_SECONDS = 10 # for a part to print its backtraces, and then for its servers to stop
  private_constant :LOGS, :SUMMARY, :TIMED, :GRACE_SECONDS

  # @param name [String] for progress and for the log's name
  # @param files [Array<String>] test files
  # @param ruby [Array<String>] command that runs a Ruby
  # @param options [Hash] keywords of {#initialize}
  # @return [TestPart] which runs the files
  def self.of_files(name, files, ruby: [RbConfig.ruby], **options)
    requires = files.flat_map { |file| ["-r", "./#{file}"] }
    new(name, [*ruby, "-w", "-Ilib", "-Itest", *requires, "-e", "", "--", "--verbose"], files: files, **options)
  end

  # @return [String]
  attr_reader :name
  # @return [Array<String>] the test files, where they are known
  attr_reader :files
  # @return [Integer] parts of a lower rank begin first
  attr_reader :rank
  # @return [Float, nil] how long it took, once it has ended
  attr_reader :seconds
  # @return [Float, nil] processor time of it and of its children, and of theirs, once it has ended; nil: this system has no /proc
  attr_reader :processor_seconds

  # @param command [Array<String>] runs Minitest, and exits with 0 only when no test has failed
  # @param files [Array<String>] the test files that it runs, where they are known
  # @param again [Array<String>] command that runs those files once more, with their names in FILES and the seed in TESTOPTS
  # @param environment [Hash{String => String, nil}] added to this process's, or with nil taken from it
  # @param silence [Numeric] seconds without output after which its backtraces are requested, and it is ended
  # @param grace [Numeric] seconds that it has to print them, and as many to end if it does not
  # @param rank [Integer] see {#rank}
  # @param waits [Boolean] see {#waits?}
  def initialize(name, command, files: [], again: %w[bundle exec rake test], environment: {}, silence: SILENCE_SECONDS, grace: GRACE_SECONDS,
                 rank: 0, waits: false)
    @name = name
    @command = command
    @files = files
    @rank = rank
    @waits = waits
    @again = again
    @environment = environment
    @silence = silence
    @grace = grace
    @log = File.join(LOGS, "#{name.tr("/ ", "--")}.log")
  end

  # Runs it to its end.
  # @return [self]
  def run
    FileUtils.mkdir_p(LOGS)
    started = now
    @status = wait_for(Process.spawn(@environment, *@command, in: :close, out: @log, err: %i[child out]))
    @seconds = now - started
    self
  end

  # @return [Boolean] whether it mostly waits for servers and deadlines, and hardly computes
  def waits? = @waits

  # @return [Boolean] every test has run and none has failed
  def passed? = @status.success? && counts[0].positive? && counts[2..3].sum.zero?

  # @return [Array<Integer>] runs, assertions, failures, errors, skips
  def counts = output.scan(SUMMARY).map { |numbers| numbers.map(&:to_i) }.reduce([0] * 5) { |sum, numbers| sum.zip(numbers).map(&:sum) }

  # @return [Hash{String => Float}] seconds of each test
  def times = output.scan(TIMED).to_h { |test, seconds| [test, Float(seconds)] }

  # @return [String] what is wrong with it, and how to run it again
  def report = "#{name} failed (#{@ended_by || @status.inspect}):\n#{output.lines.grep_v(TIMED).join}\nRun it again: #{again}"

  private

  def again
    return @command.join(" ") if files.empty?

    "FILES=\"#{files.join(" ")}\" TESTOPTS=--seed=#{output[/^Run options:.*--seed (\d+)/, 1]} #{@again.join(" ")}"
  end

  def output = File.read(@log, encoding: Encoding::UTF_8).scrub

  def wait_for(pid)
    size = 0
    heard = now
    until (status = ended(pid))
      size, heard = File.size(@log), now if File.size(@log) > size
      return stop(pid) if now - heard > @silence

      sleep 0.1
    end
    status
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # A process that has ended has all its times, and loses them as it is waited for.
  def ended(pid)
    state, times = state_of(pid)
    return if state && state != "Z"

    @processor_seconds = times
    Process.wait2(pid, Process::WNOHANG)&.last
  end

  # @return [Array(String, Float), nil] its state as in ps(1), and the seconds of its times: user and system, its own and those of its children
  def state_of(pid)
    fields = File.read("/proc/#{pid}/stat").rpartition(")").last.split
    [fields[0], fields[11..14].sum { |ticks| Integer(ticks) }.fdiv(Etc.sysconf(Etc::SC_CLK_TCK))]
  rescue SystemCallError
    nil
  end

  # Makes the process print where its threads and fibers are (test/support/whereabouts.rb), and end. If it runs no Ruby any more, prints the system's
  # information.
  def stop(pid)
    @ended_by = "nothing had come from it for #{@silence} s"
    status = ended_by("USR2", pid)
    return status if status

    File.write(@log, "It runs no Ruby:\n#{ProcessReport.new(tests_of(pid))}", mode: "a")
    ended_by("TERM", pid) || kill(pid)
  end

  def kill(pid)
    Process.kill("KILL", pid)
    Process.wait2(pid).last
  end

  def ended_by(signal, pid)
    Process.kill(signal, tests_of(pid))
    (@grace * 10).ceil.times do
      status = ended(pid)
      return status if status

      sleep 0.1
    end
    nil
  end

  # @return [Integer] the process that runs the tests, which the one that was started may have as a child
  def tests_of(pid) = pid
end
