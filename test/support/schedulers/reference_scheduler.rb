# frozen_string_literal: true

require "socket"
require "timeout"
require_relative "mailbox"
require_relative "supervision"
require_relative "timers"
require_relative "wait"

# A Fiber::Scheduler on IO.select alone, which does what the interface promises and no more, and which records uses beyond that in {#violations}: a
# wake-up for a fiber that does not wait for it, two fibers waiting for the same event of the same IO, an IO closed while a fiber waits for it.
#
#   ReferenceScheduler.run { db.value("SELECT 1") }
#
# Fibers are switched by transfer, so a wait inside an Enumerator goes to the loop and not to the Enumerator's caller.
class ReferenceScheduler
  include Supervision

  # Objects with which Ruby itself unblocks. It may do so twice or too late: its own waits check their conditions in a loop.
  CORE = [Thread::Mutex, Thread::Queue, Thread::ConditionVariable, Thread].freeze

  # @param longest_io_wait [Float, nil] seconds; a wait for a socket with a longer timeout is a violation, and one with this
  #   timeout has no end: what nothing but the timeout would mend shows as a hang
  def initialize(longest_io_wait: nil)
    @longest_io_wait = longest_io_wait
    @mailbox = Mailbox.new
    @timers = Timers.new
    @waits = {}.compare_by_identity
    @polled = {}.compare_by_identity
    @wake_ups = {}.compare_by_identity
    @ready = []
    @cancelled = []
    @interrupted = []
    @due = {}.compare_by_identity
    @violations = []
    @failures = []
    @closed = false
  end

  # Runs every fiber to its end. Ruby calls it when the thread ends or gives up its scheduler.
  def close
    return if @closed

    @closed = true
    turn until @waits.empty?
  ensure
    @mailbox.close
  end

  def closed?
    @closed
  end

  # Starts a fiber at once; the caller continues when it first waits.
  def fiber(&block)
    @loop ||= Fiber.current
    @thread ||= Thread.current
    Fiber.new(blocking: false) { supervise(&block) }.tap { |fiber| switch_to(fiber) }
  end

  # @return [Boolean] true when unblocked, false when the timeout (seconds) came first
  def block(blocker, timeout = nil)
    wait = Wait.new(Fiber.current, :block, subject: blocker)
    deliver_left_wake_up(wait)
    suspend(wait, timeout)
  end

  # Safe from any thread.
  def unblock(blocker, fiber)
    return wake(blocker, fiber) if Thread.current.equal?(@thread)

    violation("unblocked after the end of the scheduler") unless @mailbox.post(:wake, blocker, fiber) || core?(blocker)
  end

  # Gives the other ready fibers a turn.
  def yield
    wait = Wait.new(Fiber.current, :turn)
    make_ready(wait, true)
    suspend(wait)
  end

  def kernel_sleep(duration = nil)
    suspend(Wait.new(Fiber.current, :sleep), duration)
    true
  end

  # @return [Integer, false] the events that came, false after the timeout (seconds)
  def io_wait(io, events, timeout = nil)
    wait = Wait.new(Fiber.current, :io, subject: io, events: events)
    inspect_io_wait(wait, timeout)
    @polled[wait] = io
    suspend(wait, endless?(wait, timeout) ? nil : timeout)
  ensure
    @polled.delete(wait)
  end

  def address_resolve(hostname)
    Thread.new { Addrinfo.getaddrinfo(hostname.split("%", 2).first, nil, nil, :STREAM).map(&:ip_address) }.value
  end

  def process_wait(pid, flags)
    Thread.new { Process::Status.wait(pid, flags) }.value
  end

  # Raises in the calling fiber, and in no other, when the block takes longer than `duration` seconds.
  def timeout_after(duration, error = Timeout::Error, message = "execution expired")
    fiber = Fiber.current
    timer = @timers.after(duration) { cancel(fiber, error.exception(message)) }
    yield duration
  ensure
    @timers.remove(timer)
  end

  # Raises an exception in a waiting fiber, before anything else runs. Safe from any thread.
  #
  # @return [Boolean] false when the fiber does not wait, or when the loop, called from another thread, has ended
  def cancel(fiber, exception)
    return @mailbox.post(:cancel, fiber, exception) unless Thread.current.equal?(@thread)

    wait = @waits[fiber]
    return false if wait.nil? || wait.exception

    wait.exception = exception
    @cancelled << wait
    true
  end

  # As {#cancel}; in a fiber that does not wait, as it wakes another, the exception is raised in its next wait. Of the scheduler's thread.
  def cancel_soon(fiber, exception)
    cancel(fiber, exception) || @due[fiber] = exception
  end

  private

  def turn
    poll
    @mailbox.drain { |message, *arguments| send(message, *arguments) }
    @timers.fire
    batch = take_ready
    while (wait = @cancelled.shift || batch.shift)
      switch_to(wait.fiber) unless wait.finished?
    end
  end

  def take_ready
    @ready.tap { @ready = [] }
  end

  # Runs the fiber until it waits or ends; the fiber that switched to it continues first then.
  def switch_to(fiber)
    @interrupted.push(Fiber.current) unless at_loop?
    fiber.transfer
    return unless at_loop?

    while (interrupted = @interrupted.pop)
      interrupted.transfer
    end
  end

  def pause
    @loop.transfer
  end

  def at_loop?
    Fiber.current.equal?(@loop)
  end

  def suspend(wait, timeout = nil)
    note_left_wake_up(wait.fiber, "waits in #{wait}")
    @waits[wait.fiber] = wait
    wait.timer = @timers.after(timeout) { expire(wait) } if timeout
    cancel(wait.fiber, @due.delete(wait.fiber)) if @due.key?(wait.fiber)
    pause
    raise wait.exception if wait.exception

    wait.value
  ensure
    finish(wait)
  end

  def finish(wait)
    wait.finish
    @waits.delete(wait.fiber)
    @timers.remove(wait.timer) if wait.timer
    @wake_ups[wait.fiber] = wait.subject if wait.wake_up_left?
  end

  def make_ready(wait, value)
    return unless wait.waiting?

    wait.ready(value)
    @ready << wait
  end

  def expire(wait)
    make_ready(wait, false)
  end

  def wake(blocker, fiber)
    wait = @waits[fiber]
    if wait && !wait.unblocked? && expects?(wait, blocker)
      make_ready(wait, true)
      wait.unblock
    elsif !core?(blocker)
      stray(blocker, fiber, wait)
    end
  end

  # Ruby blocks and unblocks with different objects: a fiber that joins a thread is unblocked by its own, one that waits for a condition variable
  # sleeps and is unblocked by the mutex, one that closes an IO that a thread reads sleeps and is unblocked by this thread.
  def expects?(wait, blocker)
    case wait.kind
    when :block then wait.subject.equal?(blocker) || (core?(blocker) && core?(wait.subject))
    when :sleep then blocker.is_a?(Thread::Mutex) || blocker.is_a?(Thread::ConditionVariable) || blocker.equal?(@thread)
    else false
    end
  end

  def core?(blocker)
    CORE.any? { |type| blocker.is_a?(type) }
  end

  def stray(blocker, fiber, wait)
    return keep(blocker, fiber) unless wait

    violation("unblocked, but #{wait.unblocked? ? "already woken from" : "waiting in"} #{wait}")
  end

  # Keeps a wake-up for a fiber that has not begun its `block` yet, or has left it by an exception: the next one must take it.
  def keep(blocker, fiber)
    return violation("unblocks itself") if fiber.equal?(Fiber.current)
    return violation("unblocked after its end") unless fiber.alive?

    violation("unblocked a second time before the first was received") if @wake_ups.key?(fiber)
    @wake_ups[fiber] = blocker
  end

  def deliver_left_wake_up(wait)
    return unless @wake_ups.key?(wait.fiber) && @wake_ups[wait.fiber].equal?(wait.subject)

    @wake_ups.delete(wait.fiber)
    make_ready(wait, true)
    wait.unblock
  end

  def poll
    readable, writable, urgent = [IO::READABLE, IO::WRITABLE, IO::PRIORITY].map { |event| polled_for(event) }
    found = IO.select(readable.keys << @mailbox.io, writable.keys, urgent.keys, patience)
    found&.zip([readable, writable, urgent])&.each do |ios, waits|
      ios.each { |io| waits[io]&.each { |wait| make_ready(wait, wait.events) } }
    end
  rescue IOError, Errno::EBADF
    fail_closed
  end

  # @return [Hash{IO => Array<Wait>}]
  def polled_for(event)
    @polled.each_with_object({}.compare_by_identity) do |(wait, io), waits|
      (waits[io] ||= []) << wait if (wait.events & event).positive?
    end
  end

  # Seconds that the loop may sleep; nil without a limit.
  def patience
    @ready.empty? && @cancelled.empty? ? @timers.interval : 0
  end
end
