# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # The thread or fiber that ActiveRecord's pool has given an adapter's connection to. It gives the connection back by itself: what ends
    # without that leaves it leased until the pool reaps it, and the pool does so when it is short of connections itself.
    class LeaseHolder # :nodoc:
      Lease = Struct.new(:holder, :thread)
      private_constant :Lease

      def initialize = @lease = nil

      # @param holder [Thread, Fiber] of the calling thread
      def begin(holder) = @lease = Lease.new(holder, Thread.current)

      # Another thread may ask while the connection is given back and leased anew.
      #
      # @return [Boolean] false: what it is given to has ended. An event loop that ends with its thread may leave fibers unfinished, and
      #   these stay alive by Ruby's account
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
