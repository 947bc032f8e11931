# frozen_string_literal: true

module Trunkline
  # What a plain thread sleeps on: given once, taken once, in either order.
  class Token # :nodoc:
    # The calling thread's own. A thread sleeps on one thing at a time, so one is enough.
    def self.current
      thread = Thread.current
      thread.thread_variable_get(:trunkline_token) || new.tap { |token| thread.thread_variable_set(:trunkline_token, token) }
    end

    def initialize
      @mutex = Mutex.new
      @condition = ConditionVariable.new
      @given = false
    end

    def give
      @mutex.synchronize do
        @given = true
        @condition.signal
      end
    end

    # May return early and without the token, as every wait may: the caller looks at what it waits for.
    #
    # @param seconds [Float, nil] the longest to sleep; nil is for ever
    def take(seconds = nil)
      @mutex.synchronize do
        @condition.wait(@mutex, seconds) unless @given
        @given = false
      end
    end
  end
  private_constant :Token
end
