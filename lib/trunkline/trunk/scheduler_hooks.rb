# frozen_string_literal: true

module Trunkline
  # Warns of the hooks that a Fiber::Scheduler lacks and that Ruby does not ask for when the scheduler is set, once for each class of
  # schedulers. Without timeout_after, Ruby's Timeout raises through the thread: in whichever of its fibers runs when the time is over, or
  # in the event loop itself. The other optional hooks have a substitute.
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

    # What a process has met.
    OF_PROCESS = new
  end
  private_constant :SchedulerHooks
end
