# frozen_string_literal: true

require_relative "token"

module Trunkline
  # How callers sleep and are woken: fibers through their scheduler, and plain threads, whose scheduler is nil, on a token. See Request for the
  # states.
  module Waiting # :nodoc:
    # Seconds to wait for a wake-up that was sent but has not arrived, one after the other. A process that gets no processor for all of that time sees
    # the timeout and not the wake-up: two of 0.1 s each were too short once, at a load of 15 on two processors.
    WAKE_UP_WAITS = [0.1, 0.5].freeze
    # Seconds for which a caller reads or works before it lets other fibers and threads run; C has the same. Beside 100,000 notices another fiber waited
    # 5 to 9 ms; with a turn for each 64 notices it was 20 to 38 ms, and 3,000 notices took 5.0 s beside a thread that always has work, not 1.2 s.
    TURN = 0.005
    # Seconds after which an event loop that has not resumed a fiber counts as blocked or dropped, so that other callers overtake its fibers: a bound. A
    # turn of a busy loop takes some hundredths of a second; a loop that is slower loses nothing: see UnansweredCalls and Stall.
    LONGEST_TURN = 1.0
    # Seconds after which a caller that depends on a fiber of another event loop checks whether that was dropped, which wakes no other caller. A dropped
    # one is found in the time in which a blocked event loop is.
    CHECK_INTERVAL = LONGEST_TURN / 2
    private_constant :WAKE_UP_WAITS, :CHECK_INTERVAL

    module_function

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # @param deadline [Float, nil]
    # @return [Float] when a caller that depends on a fiber of another event loop wakes by itself: at its deadline, or earlier for a check
    def next_check(deadline) = [deadline, now + CHECK_INTERVAL].compact.min

    # @param waiter [Waiter]
    # @return [Boolean] whether it is that of a fiber of another event loop than the caller's
    def of_another_loop?(waiter) = !waiter.scheduler.nil? && !waiter.scheduler.equal?(Fiber.current_scheduler)

    # @param timeout [Numeric, nil] seconds to wait; nil: without end
    # @param least [Float] lower bound in seconds
    # @return [Float, nil] deadline on the clock of {now}
    # @raise [ArgumentError] it is no number
    def due(timeout, least = 0.0)
      return if nil == timeout
      raise ArgumentError, "a timeout must be a number of seconds, or nil: for ever, not #{Argument.shown(timeout)}" unless seconds?(timeout)

      now + [timeout, least].max
    end

    def seconds?(given) = Argument.is?(given, Numeric) && given.real? && !(given.is_a?(Float) && given.nan?)

    # Runs the block so that no interrupt comes between its changes of state. A fiber is interrupted only where it waits anyway.
    def without_interrupts(scheduler = Fiber.current_scheduler)
      scheduler ? yield : Thread.handle_interrupt(ON_BLOCKING) { yield }
    end

    # Sleeps until the parked request is woken, or the deadline has passed. A fiber blocks at least once: if it is woken already, its wake-up is under
    # way and must not end a later wait.
    #
    # @param deadline [Float, nil] on the clock of {now}
    # @return [Boolean] whether the request is done
    def park(request, deadline = nil)
      scheduler = request.scheduler or return park_thread(request, deadline)
      return park_until(request, scheduler, deadline) if deadline

      scheduler.block(request, nil)
      scheduler.block(request, nil) while request.sleeps_on?
      request.resume == :done
    rescue Exception
      unpark(request)
      raise
    end

    # Ends the waiter's parking without a wake-up. A wake-up that is under way is consumed first.
    def unpark(request)
      absorb(request) if request.cancel_park && request.scheduler
    end

    # Lets other fibers run that are ready now. False: the scheduler has no such method.
    def give_turn(scheduler)
      return false unless scheduler.respond_to?(:yield)

      scheduler.yield
      true
    end

    # If a timeout and a wake-up coincide, the timeout resumes the fiber, and the wake-up is still under way.
    def park_until(request, scheduler, deadline)
      while (left = deadline - now).positive?
        timed_out = scheduler.block(request, left) == false
        next if timed_out ? request.parked? : request.sleeps_on?

        timed_out ? unpark(request) : request.resume
        return request.done?
      end
      unpark(request)
      request.done?
    end

    # The token is set before the state is read, as a waker changes the state before it reads the token.
    def park_thread(request, deadline)
      token = request.token = deadline ? Token.timed : Token.current
      (deadline ? token.pop(timeout: remaining(deadline)) : token.pop) while request.parked? && !(deadline && now >= deadline)
      request.done?
    ensure
      request.cancel_park
    end

    # Consumes a wake-up that is under way to a fiber which resumes for another reason. A second interruption meanwhile replaces the first, but only
    # after the wake-up has arrived.
    #
    # Some schedulers drop the wake-ups of a fiber that they interrupt: a wake-up that was sent and does not arrive soon afterwards will not arrive.
    # One that coincides with a timeout arrives in the next wait.
    def absorb(request)
      interruption = nil
      waits = 0
      begin
        while waits < WAKE_UP_WAITS.size
          given = request.delivered?
          break if took_wake_up?(request, WAKE_UP_WAITS[waits])

          waits += 1 if given
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
