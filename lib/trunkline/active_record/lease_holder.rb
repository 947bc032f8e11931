# frozen_string_literal: true

require_relative "../trunk/event_loop"

module Trunkline
  module ActiveRecord
    # The thread or fiber to which ActiveRecord's pool has leased an adapter's connection. It must return the connection itself: one that ends without
    # that leaves it leased until the pool reaps it, which it does when it is short of connections.
    class LeaseHolder # :nodoc:
      Lease = Struct.new(:holder, :loop_or_thread)
      private_constant :Lease

      def initialize = @lease = nil

      # @param holder [Thread, Fiber] the calling one
      def begin(holder) = @lease = Lease.new(holder, holder.is_a?(Fiber) ? EventLoop.current : Thread.current)

      # Another thread may call this while the connection is returned and leased again.
      #
      # @return [Boolean] false: the holder has ended. An event loop may end before its fibers do, or before it has resumed them for the last time, and
      #   Fiber#alive? stays true for these
      def alive?
        loop do
          lease = @lease
          return true if lease.nil? || (lease.holder.alive? && lease.loop_or_thread.alive?)
          return false if lease.equal?(@lease)
        end
      end
    end
    private_constant :LeaseHolder
  end
end
