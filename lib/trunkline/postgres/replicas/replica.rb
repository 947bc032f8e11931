# frozen_string_literal: true

require_relative "../../trunk/waiting"
require_relative "lag_query"
require_relative "replay_waits"

module Trunkline
  module Postgres
    # A host that may be a standby: connections of its own, and what is known of it.
    class Replica # :nodoc:
      # Seconds for which a host that could not be connected to is left alone: first, and at most; one that has come back is used again within 10 s.
      FIRST_PAUSE = 0.5
      LONGEST_PAUSE = 5.0
      # Seconds until a host is looked at again that is no standby: each look costs the primary a connection.
      PRIMARY_FOR = 9.0
      # Seconds for which a replica that was behind is not asked for the same again: one that replays at all has moved on by then.
      BEHIND_FOR = 0.005
      private_constant :FIRST_PAUSE, :LONGEST_PAUSE, :PRIMARY_FOR, :BEHIND_FOR

      # @return [Integer] its number in the set
      attr_reader :number

      # @return [String] label for messages
      attr_reader :server

      # @return [Integer] of the hosts in the set
      attr_reader :count

      # @return [RoleWatch] of its connections
      attr_reader :roles

      # @return [Pool] of its connections
      attr_reader :pool

      # @return [Sessions] on these
      attr_reader :sessions

      # @return [Histogram] of the seconds that reads took here
      attr_reader :times

      # @return [Float, nil] seconds that it was behind when it was asked
      attr_reader :lag

      # @return [Float, nil] when it is to be looked at again, on the clock of Waiting.now; nil: it is in use
      attr_reader :resume_at

      # @return [String, nil] why it is not in use, or does not suit
      attr_reader :reason

      # @param number [Integer]
      # @param server [String] label for messages
      # @param pool [Pool]
      # @param sessions [Sessions]
      # @param roles [RoleWatch]
      # @param count [Integer] of the hosts in the set
      def initialize(number, server, pool, sessions, roles, count)
        @number = number
        @server = server
        @pool = pool
        @sessions = sessions
        @roles = roles
        @count = count
        begin_anew
      end

      # In a forked child.
      def begin_anew
        @times = Histogram.new
        @failures = @hedged = @won = 0
        @standby = @lag = @replayed = @timeline = @version = @resume_at = @reason = nil
        @check_at = @behind_until = -Float::INFINITY
        @behind_lsn = nil
      end

      # Sends the read over one of its connections.
      #
      # @param position [Position, nil] a connection to a server on another timeline does not take the read then
      # @param eager [Boolean] whether the caller goes on without waiting for the answer
      # @return [Trunk, nil, false] the connection that it went over; nil: its deadline has passed before one could; false: none may
      # @raise [Error] none could be had
      def perform(request, position, eager)
        return eager ? @pool.dispatch(request) : @pool.perform(request) unless position

        request.eager! if eager
        other = false
        trunk = @pool.over_shared_trunk(request) do |found|
          other = !fits?(found, position)
          other || (eager ? found.dispatch(request) : found.perform(request))
        end
        other ? note_other_timeline : trunk
      end

      # Sends the read over a connection that there is, where it need not wait for one.
      #
      # @param position [Position, nil] as for {#perform}
      # @return [Trunk, nil] the connection that it went over; nil: none could take it
      def dispatch_at_once(request, position)
        dispatcher = @pool.dispatcher
        trunk = dispatcher.choose(request) || (@pool.catch_up && dispatcher.choose(request))
        trunk if trunk && fits?(trunk, position) && trunk.dispatch(request)
      end

      # @return [Boolean] whether it is a standby, in use, with a connection for reads
      def open? = standby? && @resume_at.nil? && @pool.counts[:shared].positive?

      # A read that was late elsewhere was sent here, too.
      def note_hedged = @hedged += 1

      # Such a read was answered here first.
      def note_won = @won += 1

      # @param trunk [Trunk] to it
      # @param position [Position, nil]
      # @return [Boolean] whether it is of the position's cluster, and on its timeline. A server's timeline does not go back while it runs, so what it was when the
      #   connection began, or was asked later, is no more than it is now.
      def fits?(trunk, position)
        return true if position.nil?

        identity = trunk.origin
        !identity.nil? && identity.system.to_i == position.system && [identity.timeline, @timeline || 0].max == position.timeline
      end

      # @param position [Position]
      # @return [Boolean] whether it can be asked to tell when it has replayed the position
      def tells_of_replay?(position)
        return false unless open? && @version.to_i >= ReplayWaits::SINCE

        trunk = @pool.trunks.first
        !trunk.nil? && fits?(trunk, position)
      end

      # @return [Boolean] whether it is known not to suit: what has just refused would refuse again
      def unsuitable?(guard, now)
        position = guard.after
        return false unless now < @behind_until || position
        return true if position && @timeline && @timeline != position.timeline

        now < @behind_until && (position.nil? || @behind_lsn.nil? || position.lsn >= @behind_lsn)
      end

      # It has refused a read.
      #
      # @param guard [ReadGuard]
      def behind(guard)
        @behind_lsn = guard.after&.lsn
        @behind_until = Waiting.now + BEHIND_FOR
        @reason = "it is behind #{guard.inspect}"
      end

      # It could not be connected to.
      #
      # @param error [Error]
      def failed(error)
        @reason = error.message
        primary = error.is_a?(UnsuitableServer)
        @standby = false if primary
        @resume_at = Waiting.now + (primary ? PRIMARY_FOR : [FIRST_PAUSE * (2**@failures), LONGEST_PAUSE].min)
        @failures = [@failures + 1, 10].min unless primary
      end

      # @return [Boolean] whether it is known to be a standby, from a read that it has served
      def standby? = @standby == true

      # @param timeline [Integer] that was seen in the cluster
      # @return [Boolean] whether it may follow a primary of that timeline by now, and has not told so: reads after a position pass it until it has
      def outdated?(timeline) = !@timeline.nil? && @timeline < timeline

      # It may be used again.
      def resume
        @resume_at = nil
      end

      # A read has gone over a connection.
      def good
        @failures = 0
        @standby = true
      end

      # @return [Boolean] whether it is a standby still, as far as is known
      def look = @standby != false

      # Asks how far it is, when it is time to: one caller of a second waits for one more round trip.
      #
      # @param statement [Statement] of the query
      # @return [void]
      def check_lag(statement, now)
        return if now < @check_at

        @check_at = now + LagQuery::EVERY
        query = Request.query(statement, []).limit(LagQuery::TIMEOUT)
        take_in(query) if @pool.perform(query)
      rescue Error
        nil # the read meets it too
      end

      # It is no standby any more: its connections take nothing new.
      def retire
        @resume_at = Waiting.now + PRIMARY_FOR
        @reason = "it is no standby any more"
        @pool.retire_where(@reason) { true }
      end

      # @return [Hash{Symbol => Object}] plain values, as {Client#stats} explains them
      def to_h
        { server: @server, open: @pool.counts.values.sum, role: { true => "standby", false => "primary" }[@standby], lag: @lag, timeline: @timeline,
          replayed: @replayed, reads: @times.count, p99: (@times.quantile(0.99) if @times.count.positive?), hedged: @hedged, won: @won,
          avoided: !@resume_at.nil?, error: @reason }
      end

      private

      def note_other_timeline
        @reason = "it is on another timeline than the position"
        false
      end

      def take_in(query)
        answer = LagQuery.answer(query) or return
        @standby, @lag, @replayed, @timeline, @version = answer
        @reason = nil if @standby && @resume_at.nil?
      end
    end
    private_constant :Replica
  end
end
