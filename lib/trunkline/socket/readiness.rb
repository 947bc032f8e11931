# frozen_string_literal: true

require_relative "../errors"
require_relative "resumable"

module Trunkline
  # Opens and uses connections without blocking an event loop.
  module Socket
    # Waits for a descriptor until a deadline, through the Fiber::Scheduler if there is one. Within a Resumable, its caller waits. C defines
    # +wait_once+ (io, events as in IO::READABLE, seconds or nil), one wait that returns whether the descriptor is ready according to the scheduler,
    # which may return early.
    module Readiness
      # Seconds of one wait, a bound: some schedulers keep the timer of a wait until it fires. Each is in a loop. See LONGEST_WAIT in connection_io.c.
      LONGEST_WAIT = 1.0 # :nodoc:

      # Seconds that an event loop waits for each of several sockets in turn: an event on another one is noticed that much later. It is a bound,
      # not tuned, and only used while several hosts are tried at once.
      SLICE = 0.01

      EVENTS = { wait_readable: IO::READABLE, wait_writable: IO::WRITABLE }.freeze
      private_constant :SLICE, :EVENTS

      module_function

      # @return [Float] seconds on a monotonic clock
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      # @param seconds [Numeric, nil] from now
      # @return [Float, nil] deadline on the clock of {now}; nil: no limit
      def deadline(seconds) = seconds && (now + seconds)

      # @param io [IO]
      # @param deadline [Float, nil]
      # @return [Boolean] whether there may be something to read; false: the deadline has passed. May return early.
      # @raise [Closed] in a process that was forked meanwhile: the input belongs to the parent
      def wait_readable(io, deadline) = wait(io, :wait_readable, deadline)

      # @param io [IO]
      # @param deadline [Float, nil]
      # @return [Boolean] whether there may be room to write; false: the deadline has passed. May return early.
      # @raise [Closed] in a process that was forked meanwhile
      def wait_writable(io, deadline) = wait(io, :wait_writable, deadline)

      # @param seconds [Float] to wait
      # @return [void]
      def pause(seconds)
        (resumable = Resumable.current) ? resumable.wait_for(nil, nil, deadline(seconds)) : sleep(seconds)
      end

      # Waits until one of several waits is over, or the deadline has passed. May return early.
      #
      # @param waits [Array<Resumable::Wait>] at least one
      # @param deadline [Float, nil]
      # @return [Array<Resumable::Wait>] those whose sockets are ready, or whose deadlines have passed
      # @raise [Closed] in a process that was forked meanwhile
      def wait_for_any(waits, deadline)
        generation = Trunkline.process_generation
        ready = ready_within(seconds_until([deadline, *waits.map(&:deadline)].compact.min), waits.select(&:io))
        raise Closed, "this connection belongs to the parent process" unless generation == Trunkline.process_generation

        ready.concat(waits.select(&:passed?)).uniq(&:object_id)
      end

      def wait(io, event, deadline)
        generation = Trunkline.process_generation
        loop do
          seconds = seconds_until(deadline)
          return false unless seconds.positive?

          ready = (resumable = Resumable.current) ? resumable.wait_for(io, event, deadline) : wait_for_event(io, event, seconds)
          raise Closed, "this connection belongs to the parent process" unless generation == Trunkline.process_generation
          return true if ready
        end
      end

      def wait_for_event(io, event, seconds) = wait_once(io, EVENTS.fetch(event), seconds)

      def seconds_until(deadline) = deadline ? [[deadline - now, 0.0].max, LONGEST_WAIT].min : LONGEST_WAIT

      # IO.select would block an event loop, so there each socket is waited for in turn.
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
