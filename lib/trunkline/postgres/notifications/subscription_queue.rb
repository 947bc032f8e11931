# frozen_string_literal: true

require_relative "../../trunk/attendance"
require_relative "../../trunk/lock"
require_relative "notification"

module Trunkline
  module Postgres
    # What the listener keeps of a subscription: its channels, the notifications that have arrived, and the callers that wait for one. It does not
    # refer to the {Subscription} itself, so that one that is dropped without being closed is collected, and then removed.
    class SubscriptionQueue # :nodoc:
      # Bytes of a notification, beside its texts.
      ENTRY = 128
      private_constant :ENTRY

      # @return [Array<String>]
      attr_reader :channels

      # @return [Integer] of the notifications that it keeps; a gap has none
      attr_reader :bytes

      # @return [Attendance] which the callers that wait renew
      attr_reader :attendance

      # @param channels [Array<String>]
      # @param most [Integer] notifications to keep until they are taken: where one more arrives, a gap replaces all
      def initialize(channels, most)
        @channels = channels
        @most = most
        @notifications = []
        @bytes = 0
        @lock = Lock.new
        @waiters = []
        @attendance = Attendance.new
        @ended = @suspended = @unwanted = false
      end

      # @return [Notification, nil] the next one, which is removed
      def shift
        @lock.synchronize do
          notification = @notifications.shift
          @bytes -= bytes_of(notification) if notification
          notification
        end
      end

      # No more will arrive. Also called by the garbage collector, so it does nothing else.
      def end = @ended = true

      def ended? = @ended

      # @return [Boolean] whether no caller needs the connection for it: it has ended, or the callers that wait were dropped
      def abandoned? = @ended || @unwanted || (@waiters.any? && (@waiters.all?(&:dropped?) || @attendance.lapsed?))

      # The connection is not kept for it any more, and it refers to no dropped event loop. Callers that wait, but were not dropped, resume it.
      #
      # @return [true]
      def suspend
        @waiters.clear
        @suspended = @unwanted = true
      end

      # A caller waits for it, and will {#resume} it.
      def want = @unwanted = false

      def suspended? = @suspended

      # It listens again. Notifications may have been missed meanwhile.
      def resume
        @suspended = @unwanted = false
        add(Notification.new) unless @notifications.last&.gap?
      end

      # Whether there is nothing for a caller that waits.
      def idle? = @notifications.empty? && !@ended && !@suspended

      # @param notification [Notification]
      # @return [Boolean] whether this subscription receives it
      def take?(notification) = notification.gap? || @channels.include?(notification.channel)

      def add(notification)
        @lock.synchronize do
          next replace_all unless @notifications.size < @most

          @notifications.push(notification)
          @bytes += bytes_of(notification)
        end
      end

      # Replaces all notifications by a gap.
      def drop = @lock.synchronize { replace_all }

      # Runs the block with a registered caller that waits.
      def with_waiter(waiter)
        @attendance.renew
        @waiters.push(waiter)
        yield waiter
      ensure
        @waiters.delete(waiter)
      end

      # The callers that wait must check the queue.
      def wake
        @waiters.dup.each { |waiter| waiter.fail(nil) }
      end

      private

      def replace_all
        @notifications.replace([Notification.new])
        @bytes = 0
      end

      def bytes_of(notification) = notification.gap? ? 0 : ENTRY + notification.channel.bytesize + notification.payload.bytesize
    end
    private_constant :SubscriptionQueue
  end
end
