# frozen_string_literal: true

require_relative "listener"

module Trunkline
  module Postgres
    # LISTEN and NOTIFY: short messages between the sessions of a server. All listening of a client goes over one connection, which
    # counts among max_connections while there is any.
    module Listening
      # Listens to channels.
      #
      #   db.listen("jobs") { |notification| work(notification.payload) }
      #   subscription = db.listen("jobs", "mails")
      #
      # When the connection is lost it is made anew; what was sent meanwhile is lost, and every subscription is given a {Notification#gap?}.
      #
      # @param channels [Array<String, Symbol>] as they are: "Jobs" is not "jobs"; up to 63 bytes each
      # @yieldparam notification [Notification] each that comes, until the block is left: with it ends the listening. What it raises
      #   goes to the caller
      # @return [Subscription] without a block: from now on, it collects what comes until it is closed
      # @raise [ArgumentError, TypeError, EncodingError] there is no channel, or one that cannot be
      # @raise [Error] no connection could be had, or the server refused
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
