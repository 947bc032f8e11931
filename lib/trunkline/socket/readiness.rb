# frozen_string_literal: true

require_relative "../errors"
require_relative "resumable"

module Trunkline
  # Connections that can be opened and used without blocking an event loop.
  module Socket
    # Waits for a descriptor until a point in time. A Fiber::Scheduler sees the waits. Within a Resumable its caller waits. What is made in
    # C: +wait_once+ (io, events as in IO::READABLE, seconds or nil), one wait that returns whether something has come, as the scheduler says:
    # it may say so early.
    module Readiness
      # Seconds. Some schedulers keep the timer of a wait until it fires, so no wait is long; each is in a loop.
      LONGEST_WAIT = 1.0 # :nodoc:

      # Seconds that an event loop waits for several sockets, one after the other, until it looks at the first again: what comes meanwhile is
      # noticed that much later. Only while several hosts are tried at once.
      SLICE = 0.01

      EVENTS = { wait_readable: IO::READABLE, wait_writable: IO::WRITABLE }.freeze
      private_constant :SLICE, :EVENTS

      module_function

      # @return [Float] seconds on a clock that never goes back
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      # @param seconds [Numeric, nil] from now
      # @return [Float, nil] a point on the clock of {now}; nil is never
      def deadline(seconds) = seconds && (now + seconds)

      # @param io [IO]
      # @param deadline [Float, nil]
      # @return [Boolean] whether there may be something to read; false: the deadline has passed. May be early.
      # @raise [NotSent] in a process that was forked meanwhile: what comes is the parent's to read
      def wait_readable(io, deadline) = wait(io, :wait_readable, deadline)

      # @param io [IO]
      # @param deadline [Float, nil]
      # @return [Boolean] whether there may be room to write; false: the deadline has passed. May be early.
      # @raise [NotSent] in a process that was forked meanwhile
      def wait_writable(io, deadline) = wait(io, :wait_writable, deadline)

      # @param seconds [Float] for which nothing but the time is waited for
      # @return [void]
      def pause(seconds)
        (resumable = Resumable.current) ? resumable.wait_for(nil, nil, deadline(seconds)) : sleep(seconds)
      end

      # Waits until one of several waits is over, or until a point in time. May be early.
      #
      # @param waits [Array<Resumable::Wait>] at least one
      # @param deadline [Float, nil]
      # @return [Array<Resumable::Wait>] those whose sockets are ready, or whose deadlines have passed
      # @raise [NotSent] in a process that was forked meanwhile
      def wait_for_any(waits, deadline)
        generation = Trunkline.process_generation
        ready = ready_within(seconds_until([deadline, *waits.map(&:deadline)].compact.min), waits.select(&:io))
        raise NotSent, "this connection belongs to the parent process" unless generation == Trunkline.process_generation

        ready.concat(waits.select(&:passed?)).uniq(&:object_id)
      end

      def wait(io, event, deadline)
        generation = Trunkline.process_generation
        loop do
          seconds = seconds_until(deadline)
          return false unless seconds.positive?

          ready = (resumable = Resumable.current) ? resumable.wait_for(io, event, deadline) : wait_for_event(io, event, seconds)
          raise NotSent, "this connection belongs to the parent process" unless generation == Trunkline.process_generation
          return true if ready
        end
      end

      def wait_for_event(io, event, seconds) = wait_once(io, EVENTS.fetch(event), seconds)

      def seconds_until(deadline) = deadline ? [[deadline - now, 0.0].max, LONGEST_WAIT].min : LONGEST_WAIT

      # IO.select would stop an event loop, so there each has a slice of the time.
      def ready_within(seconds, waits)
        return sleep(seconds) && [] if waits.empty?
        return waits.select { |wait| wait_for_event(wait.io, wait.event, seconds) } if waits.one?
        return waits.select { |wait| wait_for_event(wait.io, wait.event, [seconds, SLICE].min / waits.size) } if Fiber.current_scheduler

        reading, writing = waits.partition { |wait| wait.event == :wait_readable }
        ready = IO.select(reading.map(&:io), writing.map(&:io), nil, seconds) or return []
        waits.select { |wait| ready[wait.event == :wait_readable ? 0 : 1].include?(wait.io) }
      end

      private_class_method :wait, :wait_for_event, :seconds_until, :ready_within
    end
  end
end
