# frozen_string_literal: true

require "weakref"

module Trunkline
  # The fiber that something was given to for as long as it runs, and whether it can still come back for it.
  class FiberOwner # :nodoc:
    # The calling fiber.
    def initialize
      @thread = Thread.current
      @fiber = WeakRef.new(Fiber.current)
      scheduler = Fiber.current_scheduler
      @scheduler = WeakRef.new(scheduler) if scheduler
    end

    # @return [Boolean] false: it has ended, or its thread has, or it was collected as garbage, or its event loop is over
    def alive? = @thread.alive? && fiber_alive? && !loop_over?

    private

    # An event loop may leave fibers unfinished when it ends, and these stay alive by Ruby's account.
    def fiber_alive?
      @fiber.__getobj__.alive?
    rescue WeakRef::RefError
      false
    end

    # Ruby has a scheduler run its fibers to their end, by close, before the thread has another scheduler or none: so the thread itself
    # knows when close has returned. What a scheduler says tells nothing, as closed? may be true while its fibers run within close.
    def loop_over?
      return false unless @scheduler && @thread.equal?(Thread.current)

      !@scheduler.__getobj__.equal?(Fiber.scheduler)
    rescue WeakRef::RefError
      true
    end
  end
  private_constant :FiberOwner
end
