# frozen_string_literal: true

require_relative "token"

module Trunkline
  # How callers sleep and are woken: fibers through their scheduler, which is their world, and plain threads, whose world
  # is nil, on a token. See Request for the states; here is what each world owes to them.
  module Waiting # :nodoc:
    # A thread may be interrupted where it sleeps, and nowhere else: all that changes state lies between its sleeps.
    WHERE_IT_SLEEPS = { Object => :on_blocking }.freeze
    private_constant :WHERE_IT_SLEEPS

    module_function

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # Runs the block so that nothing interrupts its changes of state. A fiber is interrupted only where it waits anyway.
    def undisturbed(request)
      request.world ? yield : Thread.handle_interrupt(WHERE_IT_SLEEPS) { yield }
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

    # The token is there before the state is looked at, as who wakes changes the state before he looks for the token.
    def park_thread(request, deadline)
      token = request.token = deadline ? Token.timed : Token.current
      token.take(deadline && remaining(deadline)) while request.parked? && !(deadline && now >= deadline)
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
