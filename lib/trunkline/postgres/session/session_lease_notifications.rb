# frozen_string_literal: true

require_relative "../notifications/notification"

module Trunkline
  module Postgres
    # The notifications that come to a session which listens.
    module SessionLeaseNotifications # :nodoc:
      # Waits for one.
      #
      # @param timeout [Numeric, nil] seconds; nil: for ever
      # @return [Notification, nil]
      # @raise [Error] the connection is lost, or the deadline has passed
      def notification(timeout)
        waiter = Request.companion.pin
        waiter.patience = Notification.due(timeout)
        alone(waiter) { collect(waiter) }
        @notifications.shift || raise_unless_waited(waiter)
      end

      private

      def collect(waiter)
        raise Closed.new("the session has ended", server: @server) if @ended
        raise occupied(waiter) if @flow

        @notifications ||= []
        take(waiter)
        @trunk.reader.follow(waiter) { take_notifications } if @notifications.empty?
      end

      def take_notifications
        @notifications.concat(@trunk.codec.take_notifications.map { |body| Notification.parse(body) })
        !@notifications.empty?
      end

      def raise_unless_waited(waiter)
        raise Deadline.new("the deadline has passed before a notification came", server: @server) if waiter.deadline_passed?
        raise stuck(waiter) if broken?
      end
    end
    private_constant :SessionLeaseNotifications
  end
end
