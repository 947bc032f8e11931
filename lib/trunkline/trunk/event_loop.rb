# frozen_string_literal: true

require "weakref"

module Trunkline
  # The event loop of a thread, or a thread without one, for owners that must not keep the loop from being collected. A loop has one object of this
  # class for all of its fibers: a WeakRef takes 2.2 us to make, and each collection of garbage checks it.
  class EventLoop # :nodoc:
    VARIABLE = :trunkline_event_loop # of a thread
    private_constant :VARIABLE

    # @return [EventLoop] of the calling fiber
    def self.current
      thread = Thread.current
      scheduler = Fiber.current_scheduler or return new(thread, nil)

      known = thread.thread_variable_get(VARIABLE)
      return known if known&.of?(scheduler)

      new(thread, scheduler).tap { |event_loop| thread.thread_variable_set(VARIABLE, event_loop) }
    end

    # @param thread [Thread]
    # @param scheduler [Fiber::Scheduler, nil] the thread's
    def initialize(thread, scheduler)
      @thread = thread
      @scheduler = scheduler && WeakRef.new(scheduler)
    end

    # @return [Boolean] whether it is that scheduler's
    def of?(scheduler) = self.scheduler.equal?(scheduler)

    # @return [Fiber::Scheduler, Object, nil] nil: there is none; another object once it was collected
    def scheduler
      @scheduler&.__getobj__
    rescue WeakRef::RefError
      @scheduler
    end

    # Ruby runs a scheduler's fibers to their end, in close, before the thread has another scheduler or none. So the thread itself knows when close
    # has returned. The scheduler's own closed? does not show that: it may be true while fibers still run within close.
    #
    # @return [Boolean] false: the thread has ended, or the loop is over, as far as the calling thread knows
    def alive? = @thread.alive? && !(@scheduler && @thread.equal?(Thread.current) && !of?(Fiber.scheduler))
  end
  private_constant :EventLoop
end
