# frozen_string_literal: true

require_relative "watchdog"

# Ends a test that hangs, and reports on which connection: each test runs under it, whatever threads, fibers and schedulers it starts. A test that
# takes longer than usual is checked by a {Watchdog} each second, and ended once each check has found faults for a minute: longer than a state may
# last that a test causes on purpose, as the client itself cleans up after a stopped event loop after 30 s. What runs under {Hosts} is ended after a
# second of it.
class HangGuard
  PATIENCE = 30.0 # seconds that a test may take before it is checked: walking the heap takes time from other threads
  LASTING = 60.0
  LOOK = 1.0
  private_constant :PATIENCE, :LASTING, :LOOK

  # The exception that ends a hanging test. No rescue in a test takes it for an error of the client.
  Hang = Class.new(Exception) # rubocop:disable Lint/InheritException

  # A test that is checked.
  Running = Struct.new(:name, :thread, :since, :faulty_since)
  private_constant :Running

  # Runs the block under the guard of this process.
  def self.watch(name, &block) = (@of_process ||= new).watch(name, &block)

  # @param watchdog [#faults]
  # @param patience [Float] seconds
  # @param lasting [Float] seconds
  # @param look [Float] seconds between two checks
  def initialize(watchdog: Watchdog.new, patience: PATIENCE, lasting: LASTING, look: LOOK)
    @watchdog = watchdog
    @patience = patience
    @lasting = lasting
    @look = look
    @lock = Mutex.new
  end

  # @param name [String] of the test
  # @return [Object] what the block returns
  # @raise [Hang] the block hangs
  def watch(name)
    start unless @thread&.alive? # a forked process has to start a new one
    @lock.synchronize { @running = Running.new(name, Thread.current, Watchdog.now) }
    yield
  ensure
    @lock.synchronize { @running = nil }
  end

  # Ends the thread that checks.
  def stop = @thread&.kill&.join

  private

  def start
    @lock = Mutex.new
    @thread = Thread.new do
      loop do
        sleep @look
        @lock.synchronize { look_at(@running) if @running && Watchdog.now - @running.since >= @patience }
      end
    end
  end

  def look_at(running)
    faults = @watchdog.faults
    running.faulty_since = faults.empty? ? nil : running.faulty_since || Watchdog.now
    return unless running.faulty_since && Watchdog.now - running.faulty_since >= @lasting

    @running = nil
    running.thread.raise(Hang, "#{running.name} hangs: #{faults.join("\n")}")
  end
end
