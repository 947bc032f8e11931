# frozen_string_literal: true

require "weakref"

module Trunkline
  # The fiber that owns something for as long as it runs. Tells whether the fiber can still return what it owns.
  class FiberOwner # :nodoc:
    # The calling fiber.
    def initialize
      @thread = Thread.current
      @fiber = WeakRef.new(Fiber.current)
      scheduler = Fiber.current_scheduler
      @scheduler = WeakRef.new(scheduler) if scheduler
    end

    # @return [Boolean] false: the fiber or its thread has ended, it was garbage collected, or its event loop is over
    def alive? = @thread.alive? && fiber_alive? && !loop_over?

    # As a {Waiter}, but without keeping the event loop from being collected: see {Attendance}.
    def dropped? = !alive?

    # @return [Fiber::Scheduler, Object, nil] of the fiber; another object once it was collected
    def scheduler
      @scheduler&.__getobj__
    rescue WeakRef::RefError
      @scheduler
    end

    private

    # An event loop may end with unfinished fibers, and Fiber#alive? stays true for these.
    def fiber_alive?
      @fiber.__getobj__.alive?
    rescue WeakRef::RefError
      false
    end

    # Ruby runs a scheduler's fibers to their end, in close, before the thread has another scheduler or none. So the thread itself knows when close
    # has returned. The scheduler's own closed? does not show that: it may be true while fibers still run within close.
    def loop_over?
      return false unless @scheduler && @thread.equal?(Thread.current)

      !@scheduler.__getobj__.equal?(Fiber.scheduler)
    rescue WeakRef::RefError
      true
    end
  end
  private_constant :FiberOwner
end
