# frozen_string_literal: true

require "io/wait"
require_relative "../errors"

module Trunkline
  # Connections that can be opened and used without blocking an event loop.
  module Socket
    # Waits for a descriptor until a point in time. The waits go through IO#wait_readable and IO#wait_writable, so a
    # Fiber::Scheduler sees them; each is short, because some schedulers keep the timer of a long one until it fires.
    module Readiness
      # Seconds.
      LONGEST_WAIT = 1.0
      private_constant :LONGEST_WAIT

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
