# frozen_string_literal: true

require "weakref"

module Trunkline
  # The fiber that something was given to for as long as it runs, and whether it can still come back for it.
  class FiberOwner # :nodoc:
    # The calling fiber.
    def initialize
      @thread = Thread.current
      @fiber = WeakRef.new(Fiber.current)
      @scheduler = Fiber.scheduler
    end

    # @return [Boolean] whether it has ended, or will never run again: its thread has ended, its event loop was closed, or nothing
    #   refers to it. An event loop may leave fibers unfinished when it is closed, and these stay alive by Ruby's account
    def gone? = !@thread.alive? || !fiber_alive? || loop_closed?

    private

    def fiber_alive?
      @fiber.__getobj__.alive?
    rescue WeakRef::RefError
      false
    end

    # A thread closes its event loop before it takes another or goes on without one.
    def loop_closed?
      return false unless @scheduler
      return !@scheduler.equal?(Fiber.scheduler) if @thread.equal?(Thread.current)

      @scheduler.respond_to?(:closed?) && @scheduler.closed? ? true : false
    end
  end
  private_constant :FiberOwner
end
