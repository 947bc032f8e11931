# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # The thread or fiber to which ActiveRecord's pool has leased an adapter's connection. It must return the connection itself: one that ends without
    # that leaves it leased until the pool reaps it, which it does when it is short of connections.
    class LeaseHolder # :nodoc:
      Lease = Struct.new(:holder, :thread)
      private_constant :Lease

      def initialize = @lease = nil

      # @param holder [Thread, Fiber] of the calling thread
      def begin(holder) = @lease = Lease.new(holder, Thread.current)

      # Another thread may call this while the connection is returned and leased again.
      #
      # @return [Boolean] false: the holder has ended. An event loop that ends with its thread may leave unfinished fibers, for which Fiber#alive?
      #   stays true
      def alive?
        loop do
          lease = @lease
          return true if lease.nil? || (lease.holder.alive? && lease.thread.alive?)
          return false if lease.equal?(@lease)
        end
      end
    end
    private_constant :LeaseHolder
  end
end
