# frozen_string_literal: true

module Trunkline
  class Workers
    # A block for a worker thread, and its result. It is either begun or withdrawn, once.
    class Job # :nodoc:
      def initialize(work)
        @work = work
        @waiter = Waiter.new.park
        @lock = Lock.new
        @state = :queued
        @outcome = nil
      end

      # @return [Boolean] whether the calling thread may run it
      def begin = step(:begun)

      # @return [Boolean] whether it will never begin
      def withdraw = step(:withdrawn)

      # Exceptions of the block are for the caller; the thread stays alive.
      def perform
        @outcome = [@work.call, nil]
      rescue Exception => error # rubocop:disable Lint/RescueException
        @outcome = [nil, error]
      ensure
        @outcome ||= [nil, ThreadError.new("the block has ended its thread")]
      end

      # Wakes the caller.
      def finish = @waiter.wake_if_parked

      # @param deadline [Float, nil] on the clock of Waiting.now
      def sleep_until_done(deadline) = Waiting.park(@waiter, deadline)

      def done? = !@outcome.nil?

      # @return [Object] what the block has returned
      # @raise [Exception] what it has raised
      def value
        value, error = @outcome
        error ? raise(error) : value
      end

      private

      def step(state)
        @lock.synchronize { @state == :queued && @state = state } && true
      end
    end
    private_constant :Job
  end
end
