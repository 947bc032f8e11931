# frozen_string_literal: true

module Trunkline
  module Schedulers
    class EventMachine
      # One wait of one fiber.
      class Wait # :nodoc:
        # The subject of a sleep, for which Ruby passes none: see #ends_a_sleep?
        NOTHING_NAMED = Object.new.freeze

        attr_reader :fiber, :subject, :events, :value
        attr_accessor :exception

        # @param subject [Object] of the wait: a blocker, an IO, or NOTHING_NAMED
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

        # Whether a wake-up by this blocker ends it.
        def for?(blocker)
          return ends_a_sleep?(blocker) if subject.equal?(NOTHING_NAMED)

          events.zero? && !subject.nil?
        end

        private

        # A condition variable's waiters sleep, and their mutex ends that. Since Ruby 3.2, a fiber that closes an IO that a thread uses sleeps until
        # the thread has released it, and is then unblocked with its own thread as the blocker, for which no other fiber waits here.
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
