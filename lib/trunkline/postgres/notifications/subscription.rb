# frozen_string_literal: true

require_relative "../../trunk/main_ractor"
require_relative "../../trunk/waiting"
require_relative "notification"
require_relative "subscription_queue"

module Trunkline
  module Postgres
    # The notifications of some channels, from its creation until it is closed. Any fiber or thread may wait for one; each goes to one caller.
    #
    # @see Listening#listen
    class Subscription
      include Enumerable
      include MainRactor

      # Finalizer of a subscription that was dropped without being closed: ends its queue, which the next one that begins or ends removes.
      Dropped = Struct.new(:queue) do
        def call(_id) = queue.end
      end
      private_constant :Dropped

      # @return [SubscriptionQueue]
      attr_reader :queue # :nodoc:

      def initialize(listener, channels) # :nodoc:
        stay_in_main_ractor
        @listener = listener
        @queue = listener.queue(channels)
        ObjectSpace.define_finalizer(self, Dropped.new(@queue))
      end

      # @return [Array<String>]
      def channels = @queue.channels

      # Yields each notification as it arrives, until the subscription is closed. An exception of the block is raised, and the subscription stays
      # open.
      #
      # @yieldparam notification [Notification]
      # @return [nil, Enumerator]
      # @raise [Closed] the client was closed
      # @raise [Error] the connection was lost, and opening another would not help
      def each
        return to_enum unless block_given?

        while (notification = wait)
          yield notification
        end
      end

      # Waits for the next notification.
      #
      # @param timeout [Numeric, nil] seconds; nil: no limit
      # @return [Notification, nil] nil: none arrived in time, or the subscription is closed
      # @raise [Error] as {#each}
      def wait(timeout = nil)
        by = Notification.due(timeout)
        until (notification = @queue.shift) || closed?
          return if by && Waiting.now >= by

          @listener.wait(@queue, by)
        end
        notification
      end

      # Closes it, for all callers that wait on it; the client's connection is closed with the last one.
      #
      # @return [nil]
      def close
        Waiting.without_interrupts { conclude unless closed? }
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
