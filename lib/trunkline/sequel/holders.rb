# frozen_string_literal: true

require_relative "../trunk/fiber_owner"
require_relative "../trunk/scoped_value"
require_relative "../trunk/reachable_owner"

module Sequel
  module Trunkline
    # Which fiber has which connection for its own: it holds one for the time of a block, and keeps one on which it left something
    # behind, until it disconnects or ends. The fibers created in it meanwhile find it too, as ::Trunkline::ScopedValue tells; but what
    # a fiber of an event loop keeps is found by no other.
    #
    # Sequel itself refers to a connection in whose transaction it is. So what is held has a sentinel, to which the fibers alone refer that find
    # it: when they are collected, the connection is free.
    class Holders
      ScopedValue = ::Trunkline.const_get(:ScopedValue)
      FiberOwner = ::Trunkline.const_get(:FiberOwner)
      ReachableOwner = ::Trunkline.const_get(:ReachableOwner)
      GCSentinel = ::Trunkline.const_get(:GCSentinel)
      # A connection that a fiber keeps.
      Kept = Struct.new(:owner, :scoped, :conn)
      # What a fiber holds: a connection to a server.
      Held = Struct.new(:server, :conn, :sentinel) do
        # Is it to that server?
        def ==(other) = server == other
      end
      private_constant :ScopedValue, :FiberOwner, :ReachableOwner, :GCSentinel, :Kept, :Held

      def initialize
        @lock = Mutex.new
        @name = Object.new # what fibers refer to: their storage does not keep this database
        @kept = []
      end

      # @param server [Symbol, Hash]
      # @return [Connection, nil] the caller's own
      # @raise [Sequel::DatabaseDisconnectError] it was taken away, as the caller was not to come back for it; said once
      def find(server)
        scoped = ScopedValue.find(@name, server) or return
        conn = scoped.value.conn
        return conn if conn.open?
        return unless conn.taken_away?

        scoped.end
        raise DatabaseDisconnectError, "the connection that this fiber kept, with what it had left behind there, was closed: its event loop " \
                                       "had ended, or the fiber that kept it"
      end

      # Runs the block, in which the caller holds a connection.
      #
      # @param connect [#call] gives one for an owner
      # @yieldparam conn [Connection]
      def hold(server, connect)
        release_left
        sentinel = GCSentinel.new
        conn = connect.call(ReachableOwner.new(sentinel, Thread.current))
        scoped = ScopedValue.new(@name, Held.new(server, conn, sentinel))
        scoped.begin
        conn.hold { yield conn }
      ensure
        scoped&.end
      end

      # From now on the caller keeps a connection.
      #
      # @yieldparam owner [FiberOwner] the caller
      # @yieldreturn [Connection] for it
      # @return [Connection]
      def keep(server)
        release_left
        owner = FiberOwner.new
        conn = yield owner
        scoped = ScopedValue.new(@name, Held.new(server, conn), alone: !Fiber.scheduler.nil?)
        @lock.synchronize { @kept.push(Kept.new(owner, scoped, conn)) }
        scoped.begin
        conn.keep
      end

      # Closes what the caller keeps.
      def release
        @lock.synchronize { @kept.select { |kept| kept.scoped.callers? } }.each { |kept| close(kept) }
        release_left
      end

      private

      # Closes what was kept by fibers that will not come back for it.
      def release_left
        return if @kept.empty?

        @lock.synchronize { @kept.reject { |kept| kept.owner.alive? } }.each { |kept| close(kept, :take_away) }
      end

      # The first that takes it out of the list closes it. A fiber that finds it all the same is told that it was taken away.
      def close(kept, way = :close)
        return unless @lock.synchronize { @kept.delete(kept) }

        kept.scoped.end if way == :close
        kept.conn.public_send(way)
      end
    end
  end
end
