# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # The thread or fiber that ActiveRecord's pool has given an adapter's connection to. It gives the connection back by itself: what ends
    # without that leaves it leased until the pool reaps it, and the pool does so when it is short of connections itself.
    class LeaseHolder # :nodoc:
      def initialize
        @holder = @thread = nil
      end

      # @param holder [Thread, Fiber] of the calling thread
      def begin(holder)
        @thread = Thread.current
        @holder = holder
      end

      # @return [Boolean] false: what it was given to has ended. An event loop that ends with its thread may leave fibers unfinished, and
      #   these stay alive by Ruby's account
      def alive? = @holder.nil? || (@holder.alive? && @thread.alive?)
    end
    private_constant :LeaseHolder
  end
end
