# frozen_string_literal: true

# An event loop that ends before its fibers do: each remains where it first waits.
class Dropping
  # Runs the block in such a loop, in the calling thread, which continues without it.
  def self.run
    Fiber.set_scheduler(new)
    yield
  ensure
    Fiber.set_scheduler(nil)
  end

  def io_wait(*) = Fiber.yield
  alias block io_wait
  alias kernel_sleep io_wait
  def unblock(*) = nil
  def close = nil
  def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)
end
