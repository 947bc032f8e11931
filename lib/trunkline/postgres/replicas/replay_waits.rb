# frozen_string_literal: true

require_relative "../../trunk/attendance"
require_relative "../../trunk/fiber_owner"
require_relative "../results/result"
require_relative "../session/session_executor"

module Trunkline
  module Postgres
    # Waits until a replica has replayed a position, with WAIT FOR LSN of PostgreSQL 19. That needs a connection of its own, as the server answers
    # nothing else there meanwhile. The read compares the position again afterwards, because WAIT FOR LSN ignores timelines.
    class ReplayWaits # :nodoc:
      # server_version_num of the first version that has it.
      SINCE = 190_000
      # Seconds that a read waits before the primary takes it. Two standbys of PostgreSQL 15 had replayed half of 2,400 positions of 8 writers within
      # 0.3 ms, 99 % within 7, and all but one within 50 (load 4). With synchronous_commit=off it takes 200 to 400 ms, as the primary writes its log
      # later.
      LONGEST = 0.05
      # Seconds in addition, for opening the connection and for the round trip. It is a bound: a replica that does not respond costs a read this much.
      GRACE = 0.25
      COMMAND = "WAIT FOR LSN '%s' WITH (TIMEOUT '%dms', NO_THROW)"
      # The server's answer; others are "timeout" and "not in recovery".
      REPLAYED = "success"
      HOLDER = "a read that waits until the replica has replayed a position"
      private_constant :LONGEST, :GRACE, :COMMAND, :REPLAYED, :HOLDER

      # @param replicas [Array<Replica>]
      # @param statements [Statements] of the client
      # @param responses [ResponseReader] of the client
      # @param at_once [Integer] waits on each replica; each needs a connection that is not shared
      def initialize(replicas, statements, responses, at_once)
        @replicas = replicas
        @statements = statements
        @responses = responses
        @at_once = at_once
        @longest = LONGEST
        @lock = Lock.new
        @waiting = Array.new(replicas.size) { [] } # attendances of the callers on each
      end

      # Waits on the replica with the fewest waits. Each read does so once.
      #
      # @param position [Position]
      # @param route [Route] of the read
      # @param deadline [Float, nil] of the caller, on the clock of Waiting.now
      # @return [Replica, nil] that has replayed the position; nil: none has, or none supports it
      def replica_for(position, route, deadline)
        milliseconds = ([@longest, (deadline || Float::INFINITY) - Waiting.now].min * 1000).floor
        return if milliseconds < 1 || route.waited? # to the server, 0 means no limit

        caller = Attendance.new(FiberOwner.new)
        replica = enter(position, caller) or return
        begin
          route.note_wait
          replica if replayed?(replica, format(COMMAND, position.lsn_text, milliseconds), milliseconds / 1000.0)
        ensure
          @lock.synchronize { @waiting[replica.number].delete(caller) }
        end
      end

      private

      # @return [Replica, nil]
      def enter(position, caller)
        able = @replicas.select { |replica| replica.supports_replay_wait?(position) }
        @lock.synchronize do
          replica = able.min_by { |one| present(one).size }
          replica if replica && @waiting[replica.number].size < @at_once && @waiting[replica.number].push(caller)
        end
      end

      # Callers that were dropped by their event loop do not count.
      def present(replica) = @waiting[replica.number].tap { |callers| callers.reject!(&:dropped?) }

      # A wait that fails, because recovery or the server ends it, has the same result as a timeout.
      def replayed?(replica, command, seconds)
        session = SessionExecutor.new(replica.sessions.lease_at(HOLDER), @statements, {}, @responses, Result)
        replica.sessions.lend(session) do
          request = Request.script(command).limit(seconds + GRACE)
          session.lease.perform_own(request)
          request.answered? && @responses.results(request, Result).first&.value == REPLAYED
        end
      rescue Error
        false
      end
    end
    private_constant :ReplayWaits
  end
end
