# frozen_string_literal: true

require_relative "../notifications/notification"

module Trunkline
  module Postgres
    # The notifications for a session that listens, in the order of their arrival.
    class LeaseNotifications # :nodoc:
      # @param lease [SessionLease] of the connection
      def initialize(lease)
        @lease = lease
        @received = []
      end

      # Waits for one.
      #
      # @param timeout [Numeric, nil] seconds; nil: no limit
      # @return [Notification, nil]
      # @raise [Error] the connection is lost, or the deadline has passed
      def take(timeout)
        waiter = Request.companion.pin
        by = waiter.wait_until = Notification.due(timeout)
        @lease.exclusively(waiter) { receive(waiter, by) }
        @received.shift || raise_unless_waited(waiter)
      end

      private

      def receive(waiter, by)
        trunk = @lease.take_unoccupied(waiter)
        trunk.reader.attend(waiter, by) { received?(trunk) } if @received.empty?
        Waiting.give_turn(waiter.scheduler)
      end

      def received?(trunk)
        @received.concat(trunk.codec.take_notifications.map { |body| Notification.parse(body) })
        !@received.empty?
      end

      def raise_unless_waited(waiter)
        raise Deadline.new("the deadline has passed before a notification came", server: @lease.server) if waiter.deadline_passed?
        raise @lease.unusable(waiter) if @lease.broken?
      end
    end
    private_constant :LeaseNotifications
  end
end
