# frozen_string_literal: true

require "weakref"
require_relative "event_loop"

module Trunkline
  # The fiber that owns something for as long as it runs. Tells whether the fiber can still return what it owns.
  class FiberOwner # :nodoc:
    # The calling fiber.
    def initialize
      @fiber = WeakRef.new(Fiber.current)
      @event_loop = EventLoop.current
    end

    # @return [Boolean] false: the fiber or its thread has ended, it was garbage collected, or its event loop is over
    def alive? = @event_loop.alive? && fiber_alive?

    # As a {Waiter}, but without keeping the event loop from being collected: see {Attendance}.
    def dropped? = !alive?

    # @return [Fiber::Scheduler, Object, nil] of the fiber; another object once it was collected
    def scheduler = @event_loop.scheduler

    private

    # An event loop may end with unfinished fibers, and Fiber#alive? stays true for these.
    def fiber_alive?
      @fiber.__getobj__.alive?
    rescue WeakRef::RefError
      false
    end
  end
  private_constant :FiberOwner
end
