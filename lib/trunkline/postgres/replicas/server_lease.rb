# frozen_string_literal: true

require_relative "route"

module Trunkline
  module Postgres
    # A session on one server for a stream or a transaction of reads: on a replica, or on the primary if no replica fulfils the conditions. They are
    # checked first, within the transaction, so that another server can be used before anything was read.
    class ServerLease # :nodoc:
      # The server does not fulfil the conditions.
      class Refused < StandardError; end
      # The check without conditions: the answer shows that the server is reachable.
      ANY = "SELECT 1"
      private_constant :Refused, :ANY

      # @param set [ReplicaSet]
      # @param guard [ReadGuard]
      # @param sessions [Sessions] on the primary
      def initialize(set, guard, sessions)
        @set = set
        @guard = guard
        @sessions = sessions
        @route = Route.new
      end

      # @param session [#call] takes Sessions, and makes a SessionExecutor there
      # @yieldparam session [SessionExecutor]
      # @yieldparam admitted [Proc] to be called at the beginning of the transaction
      def run(session, &work)
        loop do
          replica = @set.choose(@guard, @route) || @set.await(@guard, @route, Deadlines.present)
          return on_primary(session, &work) unless replica

          @set.leave_chosen(@route) # its reads are not among those on shared connections
          done, value = on_replica(replica, session, &work)
          return value if done

          @route.pass(replica.number)
        end
      ensure
        @set.leave_chosen(@route)
      end

      private

      # @return [Array(Boolean, Object)] whether it ran there, and what the block returned
      def on_replica(replica, session, &work)
        begun = false
        value = within(replica.sessions, session) { |own| work.call(own, -> { begun = admit(own, replica) }) }
        [true, value]
      rescue Refused
        replica.note_refusal(@guard)
        [false, nil]
      rescue *ReplicaSet::ELSEWHERE, NotSent, Indeterminate => error
        raise if begun || !error.retriable?

        [@set.leave(replica, error), nil]
      end

      def on_primary(session, &work)
        raise @set.no_replica(@guard) unless @guard.fallback

        within(@sessions, session) { |own| work.call(own, -> { admit_on_primary(own) }) }
      end

      def within(sessions, session, &work)
        made = session.call(sessions)
        sessions.lend(made, &work)
      end

      def admit_on_primary(session)
        session.command(@guard.on_primary(@set.cluster))
      rescue DivisionByZero
        raise @set.no_replica(@guard)
      end

      # @return [true] the server is admitted
      def admit(session, replica)
        session.command(@guard.sql || ANY)
        raise Refused unless replica.fits?(session.lease.trunk, @guard.after)

        true
      rescue DivisionByZero
        raise Refused
      end
    end
    private_constant :ServerLease
  end
end
