# frozen_string_literal: true

require_relative "pinned"

module Trunkline
  module Postgres
    # The sessions of a client: who holds one, and how long others wait for theirs.
    #
    # A session is held by the fiber that opened it, and by those it starts, where Ruby hands storage down to them (from 3.2
    # on). Where there is no scheduler, the whole thread holds it, and so do the fibers of a scheduler that it starts then.
    class Sessions # :nodoc:
      INHERITED = Fiber.respond_to?(:[])
      WHERE_IT_SLEEPS = { Object => :on_blocking }.freeze
      # Who opened a session, and when.
      Holder = Struct.new(:place, :since)
      LIBRARY = File.expand_path("..", __dir__)
      private_constant :INHERITED, :WHERE_IT_SLEEPS, :Holder, :LIBRARY

      # @return [String] label for messages
      attr_reader :server

      # @return [Integer] sessions that are held now
      attr_reader :count

      # @param pool [Pool]
      # @param server [String]
      def initialize(pool, server:)
        @pool = pool
        @server = server
        @key = :"trunkline_session_#{object_id}"
        @holders = {}.compare_by_identity
        @count = 0
        @lock = Lock.new
      end

      # @return [Session, nil] the one that the caller holds
      def held
        session = Thread.current.thread_variable_get(@key) || of_fiber
        session unless session&.ended?
      end

      # Runs the block, in which the caller holds the session.
      #
      # @param block [Proc] the caller's own, to say where he is
      def hold(session, block)
        raise Closed.new("the client is closed", server: server) if @pool.closed?

        completed = BlockExit.new
        enter(session, block)
        completed.run { yield session }
      ensure
        Thread.handle_interrupt(WHERE_IT_SLEEPS) { leave(session, completed.completed?) } if completed
      end

      # Waits for a trunk.
      #
      # @raise [Overloaded] none became free in time
      def take(request)
        trunk = @pool.check_out(request) { who_holds }
        trunk.codec.exclusive = true
        trunk
      end

      # @param clean [Boolean] whether anybody may have it now
      def give_back(trunk, clean)
        return trunk.close("the session was not left in order") unless clean

        trunk.codec.exclusive = false
        @pool.check_in(trunk)
      end

      private

      if INHERITED
        def of_fiber = Fiber[@key]
        def remember(session) = Fiber.scheduler ? Fiber[@key] = session : Thread.current.thread_variable_set(@key, session)
      else
        def of_fiber = Thread.current[@key]
        def remember(session) = Fiber.scheduler ? Thread.current[@key] = session : Thread.current.thread_variable_set(@key, session)
      end

      def enter(session, block)
        @lock.synchronize do
          @holders[session] = Holder.new(place_of(block), Waiting.now)
          @count = @holders.size
        end
        remember(session)
      end

      # @return [String] file and line of the caller's own
      def place_of(block)
        file, line = block.source_location
        return "#{file}:#{line}" unless file.nil? || file.start_with?(LIBRARY)

        caller_locations.find { |location| !location.path.start_with?(LIBRARY) }.then { |location| "#{location&.path}:#{location&.lineno}" }
      end

      def leave(session, completed)
        remember(nil)
        session.finish(completed)
      ensure
        @lock.synchronize do
          @holders.delete(session)
          @count = @holders.size
        end
      end

      # @return [String] how many connections are held, by whom and since when
      def who_holds
        counts = @pool.counts
        places = @lock.synchronize { @holders.each_value.group_by(&:place) }
        held = places.map { |place, holders| "#{holders.size} by #{place} (the first for #{age(holders)} s)" }
        "#{counts[:pinned]} are held and #{counts[:shared]} shared; sessions are open: #{held.join(", ")}"
      end

      def age(holders) = format("%.1f", Waiting.now - holders.map(&:since).min)
    end
    private_constant :Sessions, :BlockExit
  end
end
