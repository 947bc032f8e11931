# frozen_string_literal: true

require "io/wait"
require_relative "../errors"

module Trunkline
  # Connections that can be opened and used without blocking an event loop.
  module Socket
    # Waits for a descriptor until a point in time. The waits go through IO#wait_readable and IO#wait_writable, so a
    # Fiber::Scheduler sees them.
    module Readiness
      # Seconds. Some schedulers keep the timer of a wait until it fires, so no wait is long; each is in a loop.
      LONGEST_WAIT = 1.0 # :nodoc:

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
      def wait_readable(io, deadline) = wait(deadline) { |seconds| io.wait_readable(seconds) }

      # @param io [IO]
      # @param deadline [Float, nil]
      # @return [Boolean] whether there may be room to write; false: the deadline has passed. May be early.
      # @raise [NotSent] in a process that was forked meanwhile
      def wait_writable(io, deadline) = wait(deadline) { |seconds| io.wait_writable(seconds) }

      def wait(deadline)
        generation = Trunkline.process_generation
        loop do
          seconds = deadline ? [deadline - now, LONGEST_WAIT].min : LONGEST_WAIT
          return false unless seconds.positive?

          ready = yield seconds
          raise NotSent, "this connection belongs to the parent process" unless generation == Trunkline.process_generation
          return true if ready
        end
      end

      private_class_method :wait
    end
  end
end
