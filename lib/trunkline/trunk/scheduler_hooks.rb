# frozen_string_literal: true

module Trunkline
  # Warns, once for each scheduler class, of a hook that a Fiber::Scheduler lacks and that Ruby does not check when the scheduler is set. Without
  # timeout_after, Ruby's Timeout raises through the thread: in whichever fiber runs when the time is over, or in the event loop itself. The other
  # optional hooks have a substitute.
  class SchedulerHooks # :nodoc:
    WARNING = "trunkline: %s lacks the hook timeout_after: Timeout.timeout raises in whichever fiber runs then, or ends the event loop. " \
              "For a query's time, write deadline: instead"
    private_constant :WARNING

    def initialize
      @met = {}.compare_by_identity # classes
    end

    # @param scheduler [Fiber::Scheduler, nil] nil: a plain thread, which needs no hooks
    def check(scheduler)
      return if scheduler.nil? || @met.key?(scheduler.class)

      @met[scheduler.class] = true
      warn(format(WARNING, scheduler.class)) unless scheduler.respond_to?(:timeout_after)
    end

    # The classes that this process has checked.
    OF_PROCESS = new
  end
  private_constant :SchedulerHooks
end
