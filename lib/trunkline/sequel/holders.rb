# frozen_string_literal: true

module Sequel
  module Trunkline
    # Who holds which connection: the fiber where there is a scheduler, and those it starts, where Ruby hands storage down to them
    # (from 3.2 on); else the thread, and with it the fibers of a scheduler that it starts then.
    class Holders
      INHERITED = Fiber.respond_to?(:[]) && Fiber.method(:[]).source_location.nil?
      NONE = {}.freeze
      private_constant :INHERITED, :NONE

      def initialize
        @held = :"trunkline_sequel_held_#{object_id}"
        @kept = :"trunkline_sequel_kept_#{object_id}"
        @lock = Mutex.new
        @count = 0
        @keepers = []
      end

      # @param server [Symbol, Hash]
      # @return [Connection, nil] the caller's own
      def find(server)
        return if @count == 0

        thread = Thread.current
        conn = inherited(server) || thread[@held]&.[](server) || thread.thread_variable_get(@held)&.[](server) ||
               thread[@kept]&.[](server) || thread.thread_variable_get(@kept)&.[](server)
        conn if conn&.open_in?(thread)
      end

      # Runs the block, in which the caller holds the connection.
      def hold(server, conn)
        release_dead
        note(@held, server, conn, +1)
        conn.hold { yield conn }
      ensure
        note(@held, server, nil, -1)
      end

      # From now on the caller holds the connection.
      #
      # @return [Connection]
      def keep(server, conn)
        release_dead
        @lock.synchronize { @keepers.push([Fiber.scheduler ? Fiber.current : Thread.current, conn]) }
        note(@kept, server, conn, +1)
        conn.keep
      end

      # The caller lets go what he has kept.
      def release
        kept = [Thread.current[@kept], Thread.current.thread_variable_get(@kept)].compact.flat_map(&:to_a)
        kept.each do |server, conn|
          note(@kept, server, nil, -1)
          close(conn)
        end
        release_dead
      end

      private

      # What was kept by those who have ended.
      def release_dead
        return if @keepers.empty?

        dead = @lock.synchronize { @keepers.reject { |owner,| owner.alive? } }
        dead.each do |_, conn|
          @lock.synchronize { @count -= 1 }
          close(conn)
        end
      end

      def close(conn)
        @lock.synchronize { @keepers.delete_if { |_, kept| kept.equal?(conn) } }
        conn.close
      end

      def note(name, server, conn, change)
        @lock.synchronize { @count += change }
        write(name) { |table| conn ? table.merge(server => conn) : table.except(server) }
      end

      if INHERITED
        def inherited(server) = Fiber[@held]&.[](server)

        def write(name, &change)
          return write_to_thread(name, &change) unless Fiber.scheduler

          name == @held ? Fiber[name] = change.call(Fiber[name] || NONE) : Thread.current[name] = change.call(Thread.current[name] || NONE)
        end
      else
        def inherited(_server) = nil

        def write(name, &change)
          Fiber.scheduler ? Thread.current[name] = change.call(Thread.current[name] || NONE) : write_to_thread(name, &change)
        end
      end

      def write_to_thread(name)
        Thread.current.thread_variable_set(name, yield(Thread.current.thread_variable_get(name) || NONE))
      end
    end
  end
end
