# frozen_string_literal: true

require_relative "lock"

module Trunkline
  # What a plain thread sleeps on: given and taken, in either order. Giving never sleeps.
  class Token # :nodoc:
    QUEUES_TIME_OUT = Thread::Queue.instance_method(:pop).parameters.any? { |_, name| name == :timeout }
    private_constant :QUEUES_TIME_OUT

    # The calling thread's own. A thread sleeps on one thing at a time, so one is enough.
    def self.current
      thread = Thread.current
      thread.thread_variable_get(:trunkline_token) || new.tap { |token| thread.thread_variable_set(:trunkline_token, token) }
    end

    # One whose `take` can end by itself.
    def self.timed = QUEUES_TIME_OUT ? current : TimedToken.new

    def initialize
      @queue = Thread::Queue.new
    end

    def give = @queue.push(nil)

    # Sleeps until the token is given. May return early, for one that was given to an earlier sleeper.
    #
    # @param seconds [Float, nil] the longest to sleep
    def take(seconds = nil)
      seconds ? @queue.pop(timeout: seconds) : @queue.pop
    end
  end

  # For Rubies before 3.2, whose queues know no timeout.
  class TimedToken # :nodoc:
    def initialize
      @mutex = Mutex.new
      @lock = Lock.new(@mutex)
      @condition = ConditionVariable.new
      @given = false
    end

    # A fiber that slept on the Mutex could be torn from it, and the sleeper would not hear of what he waits for.
    def give
      @lock.synchronize do
        @given = true
        @condition.signal
      end
    end

    def take(seconds)
      @mutex.synchronize { @condition.wait(@mutex, seconds) unless @given }
    end
  end
  private_constant :Token, :TimedToken
end
