# frozen_string_literal: true

module Trunkline
  module Socket
    # A block that returns to its caller when it would wait for a socket, and continues when it is resumed: several may run side by side, and another
    # caller may continue one that its caller has left. It runs in a fiber of its own, so only the thread that has made it can resume it.
    class Resumable # :nodoc:
      # What the block waits for. Without an io it only waits for the deadline.
      #
      # io:: [IO, nil]
      # event:: [:wait_readable, :wait_writable, nil]
      # deadline:: [Float, nil] on the clock of {Readiness.now}
      Wait = Struct.new(:io, :event, :deadline) do
        # @return [Boolean] whether the deadline has passed
        def passed? = !deadline.nil? && Readiness.now >= deadline
      end

      CURRENT = :trunkline_resumable
      private_constant :CURRENT

      # Ends a block that is abandoned.
      class Abandoned < Exception; end # rubocop:disable Lint/InheritException
      private_constant :Abandoned

      # @return [Resumable, nil] whose block is running
      def self.current = Thread.current[CURRENT]

      # @return [Wait, nil] nil: it has not begun, or is over
      attr_reader :wait

      # @return [Object] what the block has returned; nil: it is not over
      attr_reader :value

      # @return [Exception, nil] that the block has raised
      attr_reader :error

      # The block begins when it is resumed for the first time.
      def initialize(&block)
        @thread = Thread.current
        @over = false
        @fiber = Fiber.new(blocking: Fiber.current.blocking?) { run(block) }
      end

      # @return [Boolean] whether the block has returned or raised
      def over? = @over

      # @return [Boolean] whether this thread can resume it
      def resumable? = @thread.equal?(Thread.current) && @fiber.alive?

      # Runs the block until it waits or is over.
      #
      # @return [void]
      def resume
        @wait = nil
        @wait = @fiber.resume
      end

      # Ends the block. Its ensure clauses run if this is the thread that can run them; else the socket for which it waits is closed.
      #
      # @return [void]
      def abandon
        return if @over
        return @over = true unless @wait # not begun
        return @wait.io&.to_io&.close unless resumable?

        @fiber.raise(Abandoned)
      ensure
        @over = true
      end

      # Called within the block: returns to the caller, and continues when that resumes it.
      #
      # @return [Boolean] false: the deadline has passed; true: the socket may be ready
      def wait_for(io, event, deadline)
        Fiber.yield(wait = Wait.new(io, event, deadline))
        !wait.passed?
      end

      private

      def run(block)
        Thread.current[CURRENT] = self
        @value = block.call
      rescue Abandoned
        nil
      rescue Exception => @error # rubocop:disable Lint/RescueException, Naming/RescuedExceptionsVariableName
        nil
      ensure
        @over = true
      end
    end
  end
end
