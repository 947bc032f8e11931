# frozen_string_literal: true

require_relative "listener"

module Trunkline
  module Postgres
    # LISTEN and NOTIFY: short messages between the sessions of a server. All subscriptions of a client share one connection, which counts towards
    # max_connections while there are any.
    module Listening
      # Listens to channels.
      #
      #   db.listen("jobs") { |notification| work(notification.payload) }
      #   subscription = db.listen("jobs", "mails")
      #
      # When the connection is lost, another is opened; notifications sent meanwhile are lost, and every subscription gets a {Notification#gap?}.
      #
      # @param channels [Array<String, Symbol>] case-sensitive: "Jobs" is not "jobs"; up to 63 bytes each
      # @yieldparam notification [Notification] each one that arrives, until the block is left, which ends the subscription. Exceptions of the block
      #   are raised
      # @return [Subscription] without a block: it collects notifications from now on until it is closed
      # @raise [ArgumentError, TypeError, EncodingError] no channel is given, or an invalid name
      # @raise [Overloaded] the client has max_subscriptions open ones already: nothing was sent
      # @raise [Error] no connection could be opened, or the server refused
      def listen(*channels)
        subscription = Subscription.new(listener, checked(channels))
        subscribe(subscription)
        return kept = subscription unless block_given?

        subscription.each { |notification| yield notification }
      ensure
        subscription.close if subscription && !kept # also where the caller is interrupted as it returns
      end

      private

      def subscribe(subscription)
        sql = subscription.channels.map { |channel| "LISTEN #{escape_identifier(channel)}" }.join("; ")
        @executor.around_statement(:listen, sql) { listener.subscribe(subscription) }
      end

      def checked(channels)
        raise ArgumentError, "listen needs the name of a channel" if channels.empty?

        channels.map { |channel| Channel.name(channel) }.uniq.freeze
      end
    end
  end
end
