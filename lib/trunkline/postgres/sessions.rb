# frozen_string_literal: true

require_relative "pinned"

module Trunkline
  module Postgres
    # The sessions of a client: who holds one, and how long others wait for theirs.
    #
    # A session is held by the fiber that opened it, and by those it starts, where Ruby hands storage down to them (from 3.2
    # on; a thread it starts gets that too, and holds nothing). Where there is no scheduler, the whole thread holds it, and so
    # do the fibers of a scheduler that it starts then.
    class Sessions # :nodoc:
      # Libraries that bring something like it to older Rubies cannot hand it down to every fiber.
      INHERITED = Fiber.respond_to?(:[]) && Fiber.method(:[]).source_location.nil?
      # Who opened a session, and when.
      Holder = Struct.new(:place, :since)
      LIBRARY = File.expand_path("..", __dir__)
      # What the variables are called in which callers remember their sessions, one for each client.
      KEY = "trunkline_session_"
      # Who has one, where none of the caller's own code is running.
      NEXT = "a stream's Enumerator that was asked with next"
      private_constant :KEY, :INHERITED, :Holder, :LIBRARY, :NEXT

      class << self
        # @return [Boolean] whether the caller holds a session of any client
        def any_held?
          names = Thread.current.thread_variables + (INHERITED ? Fiber.current.storage.to_h.keys : Thread.current.keys)
          names.any? { |name| name.start_with?(KEY) && held(name) }
        end

        # @return [Session, nil] the one that the caller holds under this name
        def held(key)
          session = Thread.current.thread_variable_get(key) || of_fiber(key)
          session if session&.open_in?(Thread.current)
        end

        private

        if INHERITED
          def of_fiber(key) = Fiber[key]
        else
          def of_fiber(key) = Thread.current[key]
        end
      end

      # @return [String] label for messages
      attr_reader :server

      # @return [Integer] sessions that are held now
      attr_reader :count

      # @param pool [Pool]
      # @param server [String]
      def initialize(pool, server:)
        @pool = pool
        @server = server
        @key = :"#{KEY}#{object_id}"
        @holders = {}.compare_by_identity
        @count = 0
        @lock = Lock.new
      end

      # @return [Session, nil] the one that the caller holds
      def held = self.class.held(@key)

      # @param block [Proc] the caller's own
      # @return [Pinned] what a session of his works with
      def pin(block) = Pinned.new(self, place_of(block))

      # Runs the block, in which the caller holds the session.
      def hold(session)
        raise Closed.new("the client is closed", server: server) if @pool.closed?

        completed = BlockExit.new
        enter(session)
        completed.run { yield session }
      ensure
        Thread.handle_interrupt(Waiting::WHERE_IT_SLEEPS) { leave(session, completed.completed?) if completed }
      end

      # Runs the block with a session that nobody holds.
      def lend(session)
        raise Closed.new("the client is closed", server: server) if @pool.closed?

        completed = BlockExit.new
        completed.run { yield session }
      ensure
        Thread.handle_interrupt(Waiting::WHERE_IT_SLEEPS) { session.finish(completed.completed?) if completed }
      end

      # Waits for a trunk.
      #
      # @param place [String] for whom: file and line
      # @raise [Overloaded] none became free in time
      def take(request, place)
        trunk = @pool.check_out(request) { who_holds }
        @lock.synchronize { @holders[trunk] = Holder.new(place, Waiting.now) }
        trunk.codec.exclusive = true
        trunk
      end

      # @param clean [Boolean] whether anybody may have it now
      def give_back(trunk, clean)
        @lock.synchronize { @holders.delete(trunk) }
        return trunk.close("the session was not left in order") unless clean

        trunk.codec.exclusive = false
        @pool.check_in(trunk)
      end

      private

      if INHERITED
        def remember(session) = Fiber.scheduler ? Fiber[@key] = session : Thread.current.thread_variable_set(@key, session)
      else
        def remember(session) = Fiber.scheduler ? Thread.current[@key] = session : Thread.current.thread_variable_set(@key, session)
      end

      def enter(session)
        @lock.synchronize { @count += 1 }
        remember(session)
      end

      # @return [String] file and line of the caller's own
      def place_of(block)
        file, line = block&.source_location
        return "#{file}:#{line}" unless file.nil? || file.start_with?(LIBRARY)

        place = caller_locations.find { |location| location.path && !location.path.start_with?(LIBRARY) }
        place ? "#{place.path}:#{place.lineno}" : NEXT
      end

      def leave(session, completed)
        remember(nil)
        session.finish(completed)
      ensure
        @lock.synchronize { @count -= 1 }
      end

      # @return [String] how many connections are held, by whom and since when
      def who_holds
        counts = @pool.counts
        places = @lock.synchronize { @holders.reject { |trunk,| trunk.inherited? }.values.group_by(&:place) }
        held = places.map { |place, holders| "#{holders.size} by #{place} (the first for #{age(holders)} s)" }
        "#{counts[:shared]} are shared, #{counts[:pinned]} held: #{held.join(", ")}"
      end

      def age(holders) = format("%.1f", Waiting.now - holders.map(&:since).min)
    end
    # @return [Boolean] whether the calling fiber or thread holds a session of any client
    def self.session_held? = Sessions.any_held?

    private_constant :Sessions, :BlockExit
  end
end
