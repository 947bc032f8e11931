# frozen_string_literal: true

require_relative "../trunk/fiber_owner"
require_relative "../trunk/lock"
require_relative "../trunk/scoped_value"
require_relative "../trunk/reachable_owner"

module Sequel
  module Trunkline
    # Which fiber has which connection: it holds one for the duration of a block, and keeps one with session state until it disconnects or ends.
    # Fibers created within it meanwhile also find a held connection, see ::Trunkline::ScopedValue; a connection that a fiber of an event loop keeps
    # is found by no other.
    #
    # Sequel itself refers to a connection with an open transaction. So a held connection has a sentinel, to which only the fibers that can find it
    # refer: when that is collected, the connection is free.
    class Holders
      Lock = ::Trunkline.const_get(:Lock)
      ScopedValue = ::Trunkline.const_get(:ScopedValue)
      FiberOwner = ::Trunkline.const_get(:FiberOwner)
      ReachableOwner = ::Trunkline.const_get(:ReachableOwner)
      GCSentinel = ::Trunkline.const_get(:GCSentinel)
      # A connection that a fiber keeps.
      Kept = Struct.new(:owner, :scoped, :conn)
      # A held connection to a server.
      Held = Struct.new(:server, :conn, :sentinel) do
        # Whether it is to that server.
        def ==(other) = server == other
      end
      private_constant :Lock, :ScopedValue, :FiberOwner, :ReachableOwner, :GCSentinel, :Kept, :Held

      def initialize
        @lock = Lock.new
        @name = Object.new # the key in fibers' storage, which therefore does not keep this database alive
        @kept = []
      end

      # @param server [Symbol, Hash]
      # @return [Connection, nil] the caller's own
      # @raise [Sequel::DatabaseDisconnectError] it was closed because the caller seemed to be gone; raised once
      def find(server)
        scoped = ScopedValue.find(@name, server) or return
        conn = scoped.value.conn
        return conn if conn.open?
        return unless conn.taken_away?

        scoped.end
        raise DatabaseDisconnectError, "the connection that this fiber had reserved, with its session state, was closed: the event loop or the " \
                                       "fiber that had reserved it has ended"
      end

      # Runs the block, in which the caller holds a connection.
      #
      # @param connect [#call] returns one for an owner
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

      # Makes the caller keep a connection.
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

      # Closes the connection that the caller keeps.
      def release
        @lock.synchronize { @kept.select { |kept| kept.scoped.callers? } }.each { |kept| close(kept) }
        release_left
      end

      private

      # Closes connections that were kept by fibers that do not exist any more.
      def release_left
        return if @kept.empty?

        @lock.synchronize { @kept.reject { |kept| kept.owner.alive? } }.each { |kept| close(kept, :take_away) }
      end

      # Only the first call that removes it from the list closes it. A fiber that still finds it gets an error.
      def close(kept, way = :close)
        return unless @lock.synchronize { @kept.delete(kept) }

        kept.scoped.end if way == :close
        kept.conn.public_send(way)
      end
    end
  end
end
