# frozen_string_literal: true

require_relative "../../trunk/scoped_value"
require_relative "session_lease"

module Trunkline
  module Postgres
    # The sessions of a client: which fiber holds one, and how long others wait for theirs. The fiber that opened a session holds it, see
    # {ScopedValue}.
    class Sessions # :nodoc:
      LIBRARY = File.expand_path("..", __dir__)
      # The holder of a session, if no code of the caller is running.
      NEXT = "a stream's Enumerator on which next was called"
      private_constant :LIBRARY, :NEXT

      # @return [Boolean] whether the caller holds a session of any client
      def self.any_held? = ScopedValue.any? { |owner| owner.is_a?(self) }

      # @return [String] label for messages
      attr_reader :server

      # @return [ServerAccess] of the connections that single queries share
      attr_reader :usual

      # @return [ServerAccess, nil] to the address for what needs a persistent server session; nil: none was given
      attr_reader :direct

      # @return [Boolean] whether a session was ever opened here. Until then no caller can hold one, so none is searched
      attr_reader :used
      alias used? used

      # @param usual [ServerAccess]
      # @param direct [ServerAccess, nil] of session_url:
      # @param responses [ResponseReader]
      # @param roles [RoleWatch] of the client
      # @param server [String]
      def initialize(usual, direct, responses, roles, server:)
        @usual = usual
        @direct = direct
        @pool = usual.pool
        @responses = responses
        @roles = roles
        @server = server
        @used = @last_value_read = false
      end

      # @return [SessionExecutor, nil] of the session that the caller holds
      def held = (ScopedValue.find(self)&.value if @used && !ScopedValue.none?)

      # @param block [Proc] the caller's own
      # @return [SessionLease] for its session
      def lease(block) = lease_at(location_of(block))

      # @param location [String] of the holder: file and line
      # @param holder [#alive?] holds it until it ends
      # @param ended [SessionLease, nil] of the same holder, as {SessionLease#begin_again} returns it
      # @return [SessionLease] the ended one, or another
      def lease_at(location, holder = Thread.current, ended = nil) = ended || SessionLease.new(self, @responses, location, holder)

      # Runs the block, in which the caller holds the session.
      def hold(session)
        raise Closed.new("the client is closed", server: server) if @pool.closed?

        completed = BlockExit.new
        @used = true
        scoped = ScopedValue.new(self, session)
        scoped.begin
        completed.run { yield session }
      ensure
        Thread.handle_interrupt(Waiting::ON_BLOCKING) { leave(scoped, session, completed.completed?) if scoped }
      end

      # Runs the block with a session that no caller holds.
      def lend(session)
        raise Closed.new("the client is closed", server: server) if @pool.closed?

        completed = BlockExit.new
        completed.run { yield session }
      ensure
        Thread.handle_interrupt(Waiting::ON_BLOCKING) { session.finish(completed.completed?) if completed }
      end

      # @return [SessionLease::Reservation] for {#take}
      def reservation(location) = SessionLease::Reservation.new(location)

      # Waits for a trunk.
      #
      # @param reservation [SessionLease::Reservation] which no other trunk has
      # @param access [ServerAccess, nil] to the server; nil: the usual one
      # @param user [#alive?, #shared?] of the trunk
      # @raise [Overloaded] none became free in time
      def take(request, reservation, access, user)
        pool = access ? access.pool : @pool
        trunk = pool.check_out(request, user) { describe_holders(pool) }
        reservation.since = Waiting.now
        reservation.pool = pool
        trunk.holder = reservation
        trunk.codec.exclusive = true
        trunk.codec.discard_sequences if @last_value_read
        trunk
      end

      # A statement reads the last value of a sequence: from now on, sessions begin with DISCARD SEQUENCES, so that they do not see values that others
      # have drawn on the same connection. That takes the server 7 us, so clients that never read one do not do it.
      def note_last_value_read = @last_value_read = true

      # @param clean [Boolean] whether any caller may use it now
      def check_in(trunk, clean)
        pool = @direct ? trunk.holder.pool : @pool
        trunk.holder = nil
        return trunk.close("the state of its session could not be reset") unless clean

        trunk.codec.exclusive = false
        pool.check_in(trunk)
      end

      # A server has refused a statement because it is read-only: see {RoleWatch#move}.
      #
      # @return [Boolean] whether another connection may accept it
      def leave_read_only_server = @roles.leave_read_only_servers

      private

      # @return [String] file and line in the caller's own code
      def location_of(block)
        file, line = block&.source_location
        return "#{file}:#{line}" unless file.nil? || file.start_with?(LIBRARY)

        location = caller_locations.find { |frame| frame.path && !frame.path.start_with?(LIBRARY) }
        location ? "#{location.path}:#{location.lineno}" : NEXT
      end

      def leave(scoped, session, completed)
        scoped.end
        session.finish(completed)
      end

      # @return [String] how many connections are held, where and since when
      def describe_holders(pool)
        counts = pool.counts
        locations = pool.pinned.filter_map(&:holder).group_by(&:location)
        held = locations.map { |location, holders| "#{holders.size} by #{location} (the first for #{age(holders)} s)" }
        ["#{counts[:shared]} are shared, #{counts[:pinned]} held", *(held.join(", ") if held.any?)].join(": ")
      end

      def age(holders) = format("%.1f", Waiting.now - holders.map(&:since).min)
    end
    # @return [Boolean] whether the calling fiber or thread holds a session of any client
    def self.session_held? = Sessions.any_held?

    private_constant :Sessions, :BlockExit
  end
end
