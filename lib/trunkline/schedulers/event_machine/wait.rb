# frozen_string_literal: true

module Trunkline
  module Schedulers
    class EventMachine
      # One wait of one fiber.
      class Wait # :nodoc:
        # What a sleep waits for, although Ruby does not say so: see #ends_a_sleep?
        NOTHING_NAMED = Object.new.freeze

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
          return ends_a_sleep?(blocker) if subject.equal?(NOTHING_NAMED)

          events.zero? && !subject.nil?
        end

        private

        # A condition variable's waiters sleep, and their mutex ends that. From Ruby 3.2 on, a fiber that closes an IO that a thread
        # uses sleeps until it has let go, and is then woken in the name of its own thread, for which no other waits here.
        def ends_a_sleep?(blocker)
          case blocker
          when Thread::Mutex, Thread::ConditionVariable then true
          else blocker.equal?(Thread.current)
          end
        end
      end
      private_constant :Wait
    end
  end
end
