# frozen_string_literal: true

require_relative "../test/support/schedulers/reference_scheduler"

# An event loop that runs for a while, and then is dropped with its waiting fibers.
class DroppedLoop < ReferenceScheduler
  TICK = 0.005 # seconds after which it checks the time, whatever its fibers wait for
  private_constant :TICK

  # Runs the block in such a loop, in the calling thread, which continues without it. It runs in a separate fiber, as a thread's stack may keep words
  # that refer to a fiber.
  #
  # @param seconds [Float] for which the loop runs
  # @yield starts its fibers
  # @return [Array<String>] misuse of it
  def self.run(seconds, &block) = Fiber.new { new.drop_after(seconds, &block) }.resume

  # @see .run
  def drop_after(seconds)
    finish = now + seconds
    Fiber.set_scheduler(self)
    Fiber.schedule { yield }
    Fiber.schedule { sleep TICK while now < finish }
    turn while now < finish
    violations
  ensure
    Fiber.set_scheduler(nil)
  end

  # Drops them.
  def close = nil

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
