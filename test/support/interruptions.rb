# frozen_string_literal: true

# Waits that no wake-up of the client may end, and exceptions by which tests cancel.
module Interruptions
  # No `rescue` without a class catches it.
  Cancelled = Class.new(Exception) # rubocop:disable Lint/InheritException

  WAITS = %i[sleep queue read process].freeze

  private

  # Runs the work until it is cancelled, then waits for something else.
  #
  # @param kind [Symbol] one of WAITS
  # @return [Boolean, nil] whether that wait was not ended early; nil when no cancel came
  def wait_after_cancel(kind)
    yield
    nil
  rescue Cancelled
    undisturbed?(kind)
  end

  # @return [Boolean] whether such a wait lasts until its time
  def undisturbed?(kind)
    send(:"undisturbed_#{kind}?")
  rescue SystemCallError
    false
  end

  def undisturbed_sleep?
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    sleep(0.05)
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - start >= 0.049
  end

  def undisturbed_queue?
    queue = Thread::Queue.new
    later_in_a_thread { queue << :sent }
    queue.pop == :sent
  end

  def undisturbed_read?
    reader, writer = IO.pipe
    thread = later_in_a_thread { writer << "sent" && writer.close }
    reader.read == "sent"
  ensure
    thread.join
    reader.close
  end

  def undisturbed_process?
    Process.wait2(Process.spawn("sleep 0.05")).last.success?
  end

  def later_in_a_thread
    Thread.new { sleep(0.05) && yield }
  end
end
