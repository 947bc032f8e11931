# frozen_string_literal: true

require_relative "lock"

module Trunkline
  # What a plain thread sleeps on. Push and pop may come in either order, and push never sleeps.
  class Token < Thread::Queue # :nodoc:
    TIMES_OUT = instance_method(:pop).parameters.any? { |_, name| name == :timeout }
    private_constant :TIMES_OUT

    # The calling thread's own. A thread sleeps on one thing at a time, so one is enough; it may contain a push that was meant for an earlier sleep.
    def self.current
      thread = Thread.current
      thread.thread_variable_get(:trunkline_token) || new.tap { |token| thread.thread_variable_set(:trunkline_token, token) }
    end

    # One whose `pop` has a timeout.
    def self.timed = TIMES_OUT ? current : TimedToken.new
  end

  # For Ruby before 3.2, whose queues have no timeout.
  class TimedToken # :nodoc:
    def initialize
      @mutex = Mutex.new
      @lock = Lock.new(@mutex)
      @condition = ConditionVariable.new
      @given = false
    end

    # Takes the lock without sleeping: a fiber that slept on the Mutex could be interrupted, and the sleeper would miss its wake-up.
    def push(_)
      @lock.synchronize do
        @given = true
        @condition.signal
      end
    end

    # @param timeout [Float] seconds
    def pop(timeout:)
      @mutex.synchronize { @condition.wait(@mutex, timeout) unless @given }
    end
  end
  private_constant :Token, :TimedToken
end
