# frozen_string_literal: true

module Trunkline
  class FiberPool
    # A block of a pool: queued, running or finished.
    class Task
      # @return [Exception, nil] what the block has raised
      attr_reader :error

      def initialize(pool, block) # :nodoc:
        @pool = pool
        @block = block
      end

      # Waits for the end of the block.
      #
      # @return [Object] what the block has returned
      # @raise [Exception] what the block has raised
      def value
        sleep_until_done until done?
        raise @pool.claim(@error) if @error

        @result
      end

      # @return [Boolean] whether the block has ended
      def done? = @block.nil?

      # Runs the block. An exception that the block has not raised itself is raised, as it is meant for the fiber.
      def perform # :nodoc:
        finish(@block.call, nil)
      rescue StandardError, ScriptError => error
        finish(nil, error)
      ensure
        finish(nil, FiberError.new("the fiber was ended before the block was")) if @block
      end

      private

      def finish(result, error)
        @result = result
        @error = error
        @block = nil
        @waiters&.each(&:wake_if_parked)
      end

      def sleep_until_done
        waiter = Waiter.new.park
        (@waiters ||= []).push(waiter)
        Waiting.park(waiter)
      ensure
        @waiters&.delete(waiter)
      end
    end
  end
end
