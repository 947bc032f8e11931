# frozen_string_literal: true

require_relative "notification"

module Trunkline
  module Postgres
    # What the listener keeps of a subscription: its channels, the notifications that have arrived, and the callers that wait for one. It does not
    # refer to the {Subscription} itself, so that one that is dropped without being closed is collected, and then removed.
    class SubscriptionQueue # :nodoc:
      # How many are kept until they are taken; then a gap replaces them.
      MOST = 10_000

      # @return [Array<String>]
      attr_reader :channels

      # @param channels [Array<String>]
      def initialize(channels)
        @channels = channels
        @notifications = []
        @waiters = []
        @ended = false
      end

      # @return [Notification, nil] the next one, which is removed
      def shift = @notifications.shift

      # No more will arrive. Also called by the garbage collector, so it does nothing else.
      def end = @ended = true

      def ended? = @ended

      # Whether there is nothing for a caller that waits.
      def idle? = @notifications.empty? && !@ended

      # @param notification [Notification]
      # @return [Boolean] whether this subscription receives it
      def take?(notification) = notification.gap? || @channels.include?(notification.channel)

      def add(notification)
        @notifications.size < MOST ? @notifications.push(notification) : @notifications.replace([Notification.new])
      end

      # Runs the block with a registered caller that waits.
      def with_waiter(waiter)
        @waiters.push(waiter)
        yield waiter
      ensure
        @waiters.delete(waiter)
      end

      # The callers that wait must check the queue.
      def wake
        @waiters.dup.each { |waiter| waiter.fail(nil) }
      end
    end
    private_constant :SubscriptionQueue
  end
end
