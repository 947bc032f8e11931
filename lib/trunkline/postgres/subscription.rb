# frozen_string_literal: true

require_relative "../trunk/waiting"
require_relative "notification"

module Trunkline
  module Postgres
    # The notifications of some channels, from the moment it was made until it is closed. Whoever waits for one takes it; any fiber
    # or thread may.
    #
    # @see Listening#listen
    class Subscription
      include Enumerable

      # Notifications that are kept for whoever does not take them; then there is a gap in their place.
      MOST = 10_000

      # @return [Array<String>]
      attr_reader :channels

      def initialize(listener, channels) # :nodoc:
        @listener = listener
        @channels = channels
        @queue = []
        @waiters = []
        @closed = false
      end

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
        until (notification = @queue.shift) || @closed
          return if by && Waiting.now >= by

          @listener.wait(self, by)
        end
        notification
      end

      # Ends it, for everybody who waits on it; with the last one of a client goes its connection.
      #
      # @return [nil]
      def close
        Waiting.undisturbed { conclude unless @closed }
      end

      # @return [Boolean]
      def closed? = @closed

      # Is there nothing for whoever comes?
      def idle? = @queue.empty? && !@closed # :nodoc:

      # @param notification [Notification]
      # @return [Boolean] whether it is for this one
      def take?(notification) = notification.gap? || @channels.include?(notification.channel) # :nodoc:

      def add(notification) # :nodoc:
        @queue.size < MOST ? @queue.push(notification) : @queue.replace([Notification.new])
      end

      # Runs the block with somebody who waits.
      def with_waiter(waiter) # :nodoc:
        @waiters.push(waiter)
        yield waiter
      ensure
        @waiters.delete(waiter)
      end

      # Those who wait have something to look at.
      def wake # :nodoc:
        @waiters.dup.each { |waiter| waiter.give_up(nil) }
      end

      # @return [String]
      def inspect = "#<#{self.class} #{@channels.join(", ")}#{" closed" if @closed}>"

      private

      def conclude
        @closed = true
        @listener.remove(self)
        nil
      end
    end
  end
end
