# frozen_string_literal: true

module Trunkline
  module Schedulers
    class EventMachine
      # One wait of one fiber.
      class Wait # :nodoc:
        # What a sleep may be ended by: a condition variable's waiters sleep, and their mutex ends that.
        MUTEX = Object.new.freeze

        attr_reader :fiber, :subject, :events, :value
        attr_accessor :exception

        # @param subject [Object] what is waited for: a blocker, an IO, or nothing
        # @param events [Integer] of IO::READABLE, IO::WRITABLE and IO::PRIORITY
        def initialize(fiber, subject, events: 0)
          @fiber = fiber
          @subject = subject
          @events = events
          @over = false
        end

        # @return [Boolean] false: it had ended before
        def end_with(value)
          return false if @over

          @value = value
          @over = true
        end

        # Does a wake-up by this blocker end it?
        def for?(blocker)
          return blocker.is_a?(Thread::Mutex) || blocker.is_a?(Thread::ConditionVariable) if subject.equal?(MUTEX)

          events.zero? && !subject.nil?
        end
      end
      private_constant :Wait
    end
  end
end
