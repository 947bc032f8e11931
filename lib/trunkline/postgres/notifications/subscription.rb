# frozen_string_literal: true

require_relative "../../trunk/main_ractor"
require_relative "../../trunk/waiting"
require_relative "notification"
require_relative "subscription_queue"

module Trunkline
  module Postgres
    # The notifications of some channels, from the moment it was made until it is closed. The caller that waits for one takes it; any fiber
    # or thread may.
    #
    # @see Listening#listen
    class Subscription
      include Enumerable
      include MainRactor

      # Notifications that are kept until they are taken; then there is a gap in their place.
      MOST = SubscriptionQueue::MOST

      # What ends the listening for a subscription that was dropped; the next one that begins or ends takes it off the list.
      Dropped = Struct.new(:queue) do
        def call(_id) = queue.end
      end
      private_constant :Dropped

      # @return [SubscriptionQueue]
      attr_reader :queue # :nodoc:

      def initialize(listener, channels) # :nodoc:
        stay_in_main_ractor
        @listener = listener
        @queue = SubscriptionQueue.new(channels)
        ObjectSpace.define_finalizer(self, Dropped.new(@queue))
      end

      # @return [Array<String>]
      def channels = @queue.channels

      # Yields each notification as it comes, until the subscription is closed. What the block raises goes to the caller, and the
      # subscription goes on.
      #
      # @yieldparam notification [Notification]
      # @return [nil, Enumerator]
      # @raise [Closed] the client was closed
      # @raise [Error] the connection was lost, and there is no use in making it anew
      def each
        return to_enum unless block_given?

        while (notification = wait)
          yield notification
        end
      end

      # Waits for the next notification.
      #
      # @param timeout [Numeric, nil] seconds; nil: for ever
      # @return [Notification, nil] nil: none has come in time, or the subscription is closed
      # @raise [Error] as {#each}
      def wait(timeout = nil)
        by = Notification.due(timeout)
        until (notification = @queue.shift) || closed?
          return if by && Waiting.now >= by

          @listener.wait(@queue, by)
        end
        notification
      end

      # Ends it, for all callers that wait on it; with the last one of a client goes its connection.
      #
      # @return [nil]
      def close
        Waiting.undisturbed { conclude unless closed? }
      end

      # @return [Boolean]
      def closed? = @queue.ended?

      # @return [String]
      def inspect = "#<#{self.class} #{channels.join(", ")}#{" closed" if closed?}>"

      private

      def conclude
        @queue.end
        @listener.remove(@queue)
        nil
      end
    end
  end
end
