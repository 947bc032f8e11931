# frozen_string_literal: true

require_relative "token"

module Trunkline
  # How callers sleep and are woken: fibers through their scheduler, and plain threads, which have none
  # (nil), on a token. See Request for the states.
  module Waiting # :nodoc:
    # Seconds for which a wake-up is looked for that was given, each time. A process that gets no processor for as long as a look lasts sees
    # its end and not the wake-up: two of 0.1 s each were too short once, at a load of 15 on two processors.
    LOOKS = [0.1, 0.5].freeze
    private_constant :LOOKS

    module_function

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # @param timeout [Numeric, nil] seconds to wait; nil: for ever
    # @param least [Float] seconds, also where there are fewer
    # @return [Float, nil] until when, on the clock of {now}
    # @raise [ArgumentError] it is no number
    def due(timeout, least = 0.0)
      return if nil == timeout
      raise ArgumentError, "a timeout must be a number of seconds, or nil: for ever, not #{Argument.shown(timeout)}" unless seconds?(timeout)

      now + [timeout, least].max
    end

    def seconds?(given) = Argument.is?(given, Numeric) && given.real? && !(given.is_a?(Float) && given.nan?)

    # Runs the block so that nothing interrupts its changes of state. A fiber is interrupted only where it waits anyway.
    def undisturbed(scheduler = Fiber.current_scheduler)
      scheduler ? yield : Thread.handle_interrupt(WHERE_IT_SLEEPS) { yield }
    end

    # Sleeps until the parked request is woken, or the deadline has come. A fiber blocks at least once: one that is woken
    # already has a wake-up on its way that must not hit a later wait.
    #
    # @param deadline [Float, nil] on the clock of {now}
    # @return [Boolean] whether the request is done
    def park(request, deadline = nil)
      scheduler = request.scheduler or return park_thread(request, deadline)
      return park_until(request, scheduler, deadline) if deadline

      scheduler.block(request, nil)
      scheduler.block(request, nil) while (state = request.resume) == :parked
      state == :done
    rescue Exception
      unpark(request)
      raise
    end

    # The waiter goes on without having been woken. A wake-up that is on its way to it all the same is taken in.
    def unpark(request)
      absorb(request) if request.withdraw && request.scheduler
    end

    # Lets the other fibers run that are ready now. False: this scheduler has no such thing.
    def give_turn(scheduler)
      return false unless scheduler.respond_to?(:yield)

      scheduler.yield
      true
    end

    # Of a timeout and a wake-up that come together, the timeout resumes the fiber, and the wake-up is still on its way.
    def park_until(request, scheduler, deadline)
      while (left = deadline - now).positive?
        timed_out = scheduler.block(request, left) == false
        next if request.parked?

        timed_out ? unpark(request) : request.resume
        return request.done?
      end
      unpark(request)
      request.done?
    end

    # The token is there before the state is looked at, as a waker changes the state before it looks for the token.
    def park_thread(request, deadline)
      token = request.token = deadline ? Token.timed : Token.current
      (deadline ? token.pop(timeout: remaining(deadline)) : token.pop) while request.parked? && !(deadline && now >= deadline)
      request.done?
    ensure
      request.withdraw
    end

    # Takes in a wake-up that is on its way to a fiber which goes on for another reason. A second interruption meanwhile
    # replaces the first, but not before the wake-up is here.
    #
    # There are schedulers that drop the wake-ups of a fiber which they interrupt: one that was given and has not come soon
    # afterwards will not come. Where it came together with the end of the time, it comes at the next look.
    def absorb(request)
      interruption = nil
      looks = 0
      begin
        while looks < LOOKS.size
          given = request.delivered?
          break if took_wake_up?(request, LOOKS[looks])

          looks += 1 if given
        end
      rescue Exception => interruption
        retry
      end
      raise interruption if interruption
    end

    def took_wake_up?(request, seconds) = request.scheduler.block(request, seconds) != false && request.delivered?

    def remaining(deadline) = [deadline - now, 0].max

    private_class_method :seconds?, :park_until, :park_thread, :absorb, :took_wake_up?, :remaining
  end
  private_constant :Waiting
end
