# frozen_string_literal: true

# A program, run beside the process that starts private servers: it owns one temporary folder and every process that
# it was asked to start, and takes all of them away when its standard input ends.
# That happens however its parent ends, SIGKILL included, so no server outlives a run.
#
# It reads one JSON request a line and answers with one JSON line:
#   {"spawn": [argv], "log": path, "stop": "INT"}  -> {"pid": 1}      "stop" is the signal that ends it in good order
#   {"wait": pid}                                  -> {"status": 0}
#   {"running": pid}                               -> {"running": true}
#   {"stop": pid}                                  -> {"status": 0}
# Its first line is {"folder": path}, or {"error": text}.

require "etc"
require "json"
require "fileutils"
require_relative "server_folders"

class KeeperProcess
  # Seconds between the polite signal and SIGKILL. INT ends PostgreSQL, which writes a checkpoint and waits until its standbys have all that was written.
  PATIENCE = Hash.new(5).update("INT" => 30).freeze

  def initialize
    @signals = {} # pid => signal that ends it
    @requests = Thread::Queue.new
    @ended = false
  end

  def run
    trap_signals
    become_harmless
    @folder = Dir.mktmpdir("trunkline-", Trunkline::Bench::ServerFolders.place)
    say folder: @folder
    serve
  rescue Errno::EPIPE
    nil
  ensure
    leave
  end

  private

  # A terminal's Ctrl-C goes to the whole process group; the parent decides, by closing the pipe.
  def trap_signals
    Process.setsid
    %w[INT HUP PIPE].each { |name| trap(name, "IGNORE") }
    trap("TERM") { finish }
  end

  # Nothing is ever interrupted, so nothing started can be forgotten: every wait looks at @ended instead.
  def finish
    @ended = true
    @requests << nil
  end

  # PostgreSQL refuses to run as root, and none of these servers has a reason to.
  def become_harmless
    return unless Process.uid.zero?

    account = %w[postgres nobody].filter_map { |name| account_of(name) }.first
    Dir.chdir("/")
    Process.initgroups(account.name, account.gid)
    Process::GID.change_privilege(account.gid)
    Process::UID.change_privilege(account.uid)
  end

  def account_of(name)
    Etc.getpwnam(name)
  rescue ArgumentError
    nil
  end

  # The end of input must also end a wait for initdb, so a thread of its own reads.
  def serve
    Thread.new do
      $stdin.each_line { |line| @requests << JSON.parse(line, symbolize_names: true) }
    ensure
      finish
    end
    while (request = @requests.pop)
      answer(request)
    end
  end

  def answer(request)
    say(perform(request))
  rescue SystemCallError => error
    say error: error.message
  end

  def perform(request)
    case request
    in { spawn: argv, log:, stop: signal } then { pid: spawn_into(argv, log, signal) }
    in { wait: pid } then { status: wait(pid) { !@ended } }
    in { running: pid } then { running: @signals.key?(pid) && !reap(pid) }
    in { stop: pid } then { status: stop(pid) }
    end
  end

  def spawn_into(argv, log, signal)
    pid = Process.spawn(*argv, in: File::NULL, [:out, :err] => [log, "a"], pgroup: true)
    @signals[pid] = signal
    pid
  end

  # @return [Integer, nil] the exit status; 128 and the signal when one ended it; nil when not ours
  def stop(pid)
    return unless @signals.key?(pid)

    signal_group(signal = @signals[pid], pid)
    deadline = now + PATIENCE[signal]
    wait(pid) { now < deadline } || kill(pid)
  end

  def kill(pid)
    signal_group("KILL", pid)
    wait(pid) { true }
  end

  def signal_group(signal, pid)
    Process.kill(signal, -pid)
  rescue Errno::ESRCH
    nil
  end

  # Waits for as long as the block is true.
  def wait(pid)
    while yield
      status = reap(pid)
      return status if status

      sleep 0.005
    end
  end

  def reap(pid)
    _, status = Process.wait2(pid, Process::WNOHANG)
    return unless status

    @signals.delete(pid)
    status.exitstatus || (128 + status.termsig)
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def say(answer)
    $stdout.write("#{JSON.generate(answer)}\n")
    $stdout.flush
  end

  def leave
    @signals.keys.each { |pid| stop(pid) }
    FileUtils.rm_rf(@folder) if @folder
  end
end

KeeperProcess.new.run if $PROGRAM_NAME == __FILE__
