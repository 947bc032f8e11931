# frozen_string_literal: true

require_relative "notification"

module Trunkline
  module Postgres
    # What the listener knows of a subscription: its channels, the notifications that came and the callers that wait for one. It does not
    # keep the {Subscription} itself, so that one that is dropped without being closed is collected, and is then taken off the list.
    class SubscriptionQueue # :nodoc:
      # Notifications that are kept until they are taken; then there is a gap in their place.
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

      # @return [Notification, nil] the next one, which is taken out
      def shift = @notifications.shift

      # Nothing more is to come; also called by the garbage collector, so it does nothing else.
      def end = @ended = true

      def ended? = @ended

      # Is there nothing for a caller that waits?
      def idle? = @notifications.empty? && !@ended

      # @param notification [Notification]
      # @return [Boolean] whether it is for this one
      def take?(notification) = notification.gap? || @channels.include?(notification.channel)

      def add(notification)
        @notifications.size < MOST ? @notifications.push(notification) : @notifications.replace([Notification.new])
      end

      # Runs the block with a caller that waits.
      def with_waiter(waiter)
        @waiters.push(waiter)
        yield waiter
      ensure
        @waiters.delete(waiter)
      end

      # The callers that wait have something to look at.
      def wake
        @waiters.dup.each { |waiter| waiter.fail(nil) }
      end
    end
    private_constant :SubscriptionQueue
  end
end
