# frozen_string_literal: true

require_relative "token"

module Trunkline
  # How callers sleep and are woken: fibers through their scheduler, which is their world, and plain threads, whose world
  # is nil, on a token. See Request for the states; here is what each world owes to them.
  module Waiting # :nodoc:
    # Threads change state undisturbed and can be interrupted only where they wait.
    UNDISTURBED = { Object => :never }.freeze
    INTERRUPTIBLE = { Object => :immediate }.freeze
    private_constant :UNDISTURBED, :INTERRUPTIBLE

    module_function

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # Runs the block so that nothing interrupts its changes of state. A fiber is interrupted only where it waits anyway.
    def undisturbed(request)
      return yield if request.world

      request.token ||= Token.current
      Thread.handle_interrupt(UNDISTURBED) { yield }
    end

    # Runs a block that waits for a descriptor.
    def interruptible(world)
      world ? yield : Thread.handle_interrupt(INTERRUPTIBLE) { yield }
    end

    # Sleeps until the parked request is woken, or the deadline has come. A fiber blocks at least once: who is woken
    # already has a wake-up on its way that must not hit a later wait.
    #
    # @param deadline [Float, nil] on the clock of {now}
    def park(request, deadline = nil)
      world = request.world or return park_thread(request, deadline)
      until deadline && now >= deadline
        world.block(request, deadline && remaining(deadline))
        return if request.resume
      end
      absorb(request) if request.withdraw
    rescue Exception
      absorb(request) if world && request.withdraw
      raise
    end

    # Lets the other fibers run that are ready now. False: this world has no such thing.
    def give_turn(world)
      return false unless world.respond_to?(:yield)

      world.yield
      true
    end

    def park_thread(request, deadline)
      while request.parked? && !(deadline && now >= deadline)
        interruptible(nil) { request.token.take(deadline && remaining(deadline)) }
      end
    ensure
      request.withdraw
    end

    # Takes in a wake-up that is on its way to a fiber which goes on for another reason. A second interruption meanwhile
    # replaces the first, but not before the wake-up is here.
    def absorb(request)
      interruption = nil
      begin
        request.world.block(request, nil)
      rescue Exception => interruption
        retry
      end
      raise interruption if interruption
    end

    def remaining(deadline) = [deadline - now, 0].max

    private_class_method :park_thread, :absorb, :remaining
  end
  private_constant :Waiting
end
