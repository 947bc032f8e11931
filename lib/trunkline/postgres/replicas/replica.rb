# frozen_string_literal: true

require_relative "../../trunk/waiting"
require_relative "lag_query"
require_relative "replay_waits"

module Trunkline
  module Postgres
    # A host that may be a standby, with its own connections and what is known about it.
    class Replica # :nodoc:
      # Seconds of the pause after a host could not be connected to: the first, and the longest, half of the 10 s within which one that has come back is
      # used again. The first four add up to 7.5 s.
      FIRST_PAUSE = 0.5
      LONGEST_PAUSE = 5.0
      # Seconds until a host that is not a standby is checked again: each check costs the primary a connection. With the second for connecting, a former
      # primary takes reads as a standby within 10 s.
      PRIMARY_FOR = 9.0
      # Seconds for which a replica that was behind does not get a read with the same conditions: of 2,400 positions, standbys of PostgreSQL 15 had
      # replayed half within 0.3 ms, and 99 % within 7.
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

      # @return [Float, nil] seconds that it was behind at its last check
      attr_reader :lag

      # @return [Float, nil] when it will be checked again, on the clock of Waiting.now; nil: it is in use
      attr_reader :resume_at

      # @return [String, nil] why it is not in use, or does not fulfil conditions
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

      # Called in a forked child.
      def begin_anew
        @times = Histogram.new
        @failures = @hedged = @won = 0
        @standby = @lag = @replayed = @timeline = @version = @resume_at = @reason = nil
        @check_at = @behind_until = -Float::INFINITY
        @behind_lsn = nil
      end

      # Sends the read over one of its connections.
      #
      # @param position [Position, nil] a connection to a server on another timeline then does not take the read
      # @param eager [Boolean] whether the caller does not wait for the answer
      # @return [Trunk, nil, false] the connection over which it was sent; nil: its deadline has passed first; false: no connection is allowed to
      # @raise [Error] no connection could be opened
      def perform(request, position, eager)
        return eager ? @pool.dispatch(request) : @pool.perform(request) unless position

        request.pipelined! if eager
        other = false
        trunk = @pool.over_shared_trunk(request) do |found|
          other = !fits?(found, position)
          other || (eager ? found.dispatch(request) : found.perform(request))
        end
        other ? note_other_timeline : trunk
      end

      # Sends the read over an open connection, without waiting for one.
      #
      # @param position [Position, nil] as for {#perform}
      # @return [Trunk, nil] the connection over which it was sent; nil: none could take it
      def dispatch_at_once(request, position)
        dispatcher = @pool.dispatcher
        trunk = dispatcher.choose(request) || (@pool.read_unattended && dispatcher.choose(request))
        trunk if trunk && fits?(trunk, position) && trunk.dispatch(request)
      end

      # @return [Boolean] whether it is a standby, in use, with a connection for reads
      def open? = standby? && @resume_at.nil? && @pool.counts[:shared].positive?

      # @return [Boolean] whether it has connections, and the request would wait for one of them, or for another
      def would_wait?(request) = open? && @pool.would_wait?(request)

      # A slow read of another replica was sent here, too.
      def note_hedged = @hedged += 1

      # Such a read was answered here first.
      def note_won = @won += 1

      # @param trunk [Trunk] to it
      # @param position [Position, nil]
      # @return [Boolean] whether it is in the position's cluster, and on its timeline. A server's timeline does not decrease while it runs, so what
      #   was reported when the connection began, or later, is no more than it is now.
      def fits?(trunk, position)
        return true if position.nil?

        identity = trunk.origin
        !identity.nil? && identity.system.to_i == position.system && [identity.timeline, @timeline || 0].max == position.timeline
      end

      # @param position [Position]
      # @return [Boolean] whether it supports waiting until it has replayed the position
      def supports_replay_wait?(position)
        return false unless open? && @version.to_i >= ReplayWaits::SINCE

        trunk = @pool.trunks.first
        !trunk.nil? && fits?(trunk, position)
      end

      # @return [Boolean] whether it is known not to fulfil the conditions: it would refuse again
      def unsuitable?(guard, now)
        position = guard.after
        return false unless now < @behind_until || position
        return true if position && @timeline && @timeline != position.timeline

        now < @behind_until && (position.nil? || @behind_lsn.nil? || position.lsn >= @behind_lsn)
      end

      # It has refused a read.
      #
      # @param guard [ReadGuard]
      def note_refusal(guard)
        @behind_lsn = guard.after&.lsn
        @behind_until = Waiting.now + BEHIND_FOR
        @reason = "it lags, and does not fulfil #{guard.inspect}"
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

      # @return [Boolean] whether a read that it has served has shown that it is a standby
      def standby? = @standby == true

      # @param timeline [Integer] that was seen in the cluster
      # @return [Boolean] whether it may follow a primary of that timeline by now, and has not reported so: reads after a position skip it until it
      #   has
      def outdated?(timeline) = !@timeline.nil? && @timeline < timeline

      # It may be used again. One that was a primary may be a standby by now, on another timeline: the next connection shows it.
      def resume
        @resume_at = nil
        @standby = @timeline = nil if @standby == false
      end

      # A read was sent over one of its connections.
      def note_answer
        @failures = 0
        @standby = true
      end

      # @return [Boolean] whether it may still be a standby
      def maybe_standby? = @standby != false

      # Measures its lag, if that is due: once a second, one caller waits for one more round trip.
      #
      # @param statement [Statement] of the query
      # @return [void]
      def check_lag(statement, now)
        return if now < @check_at

        @check_at = now + LagQuery::EVERY
        query = Request.query(statement, []).limit(LagQuery::TIMEOUT)
        record_lag(query) if @pool.perform(query)
      rescue Error
        nil # the read will find the same error
      end

      # It is not a standby any more: its connections take no new requests.
      def retire
        @resume_at = Waiting.now + PRIMARY_FOR
        @reason = "it is not a standby any more"
        @pool.retire_where(@reason) { true }
      end

      # @return [Hash{Symbol => Object}] plain values, as {Client#stats} documents them
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

      def record_lag(query)
        answer = LagQuery.answer(query) or return
        @standby, @lag, @replayed, @timeline, @version = answer
        @reason = nil if @standby && @resume_at.nil?
      end
    end
    private_constant :Replica
  end
end
