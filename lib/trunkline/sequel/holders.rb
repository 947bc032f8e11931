# frozen_string_literal: true

require_relative "../trunk/fiber_owner"
require_relative "../trunk/holding"

module Sequel
  module Trunkline
    # Which fiber has which connection for its own: it holds one for the time of a block, and keeps one on which it left something
    # behind, until it disconnects or ends. The fibers created in it meanwhile find it too, as ::Trunkline::Holding tells; but what
    # a fiber of an event loop keeps is found by no other.
    class Holders
      Holding = ::Trunkline.const_get(:Holding)
      FiberOwner = ::Trunkline.const_get(:FiberOwner)
      # A connection that a fiber keeps.
      Kept = Struct.new(:owner, :holding, :conn)
      private_constant :Holding, :FiberOwner, :Kept

      def initialize
        @lock = Mutex.new
        @name = Object.new # what fibers refer to: their storage does not keep this database
        @conns = {}.compare_by_identity
        @kept = []
      end

      # @param server [Symbol, Hash]
      # @return [Connection, nil] the caller's own
      def find(server)
        conn = @conns[Holding.find(@name, server)]
        conn if conn&.open?
      end

      # Runs the block, in which the caller holds the connection.
      #
      # @yieldparam conn [Connection]
      def hold(server, conn)
        release_left
        holding = Holding.new(@name, server)
        begin_holding(holding, conn)
        conn.hold { yield conn }
      ensure
        end_holding(holding) if holding
      end

      # From now on the caller keeps the connection.
      #
      # @return [Connection]
      def keep(server, conn)
        release_left
        holding = Holding.new(@name, server, alone: !Fiber.scheduler.nil?)
        kept = Kept.new(FiberOwner.new, holding, conn)
        @lock.synchronize { @kept.push(kept) }
        begin_holding(holding, conn)
        conn.keep
      end

      # Closes what the caller keeps.
      def release
        @lock.synchronize { @kept.select { |kept| kept.holding.callers? } }.each { |kept| close(kept) }
        release_left
      end

      private

      # Closes what was kept by fibers that will not come back for it.
      def release_left
        return if @kept.empty?

        @lock.synchronize { @kept.select { |kept| kept.owner.gone? } }.each { |kept| close(kept) }
      end

      # The first that takes it out of the list closes it.
      def close(kept)
        return unless @lock.synchronize { @kept.delete(kept) }

        end_holding(kept.holding)
        kept.conn.close
      end

      def begin_holding(holding, conn)
        @lock.synchronize { @conns[holding] = conn }
        holding.begin
      end

      def end_holding(holding)
        holding.end
        @lock.synchronize { @conns.delete(holding) }
      end
    end
  end
end
