# frozen_string_literal: true

require_relative "../../trunk/turn"
require_relative "shared_flush"

module Trunkline
  module Postgres
    # The connection on which a client's writes are flushed while later writes continue on theirs. Its flush covers a write that was sent to the same
    # server after this connection was opened. If it cannot be opened, or is lost, writes are flushed over their own connections.
    class Flusher # :nodoc:
      # Seconds between two attempts to open it. It is a bound: each costs a login, and without this connection writes are flushed over their own.
      PAUSE = 1.0
      private_constant :PAUSE

      # @param pool [Pool] of a single trunk that {AsynchronousCommit.prepare} has prepared
      def initialize(pool)
        @pool = pool
        @trunk = nil
        begin_anew
      end

      # @param trunk [Trunk] over which a write is sent
      # @return [Flushes, nil] that will cover it, if there are any
      def flushes_for(trunk)
        return if missing?

        flushes = @trunk.codec.flushes
        flushes if flushes && flushes.server == trunk.codec.flushes&.server # without one, the connection was lost just now
      end

      # Opens the connection if there is none and no other caller does so. If that fails, the caller continues without one.
      #
      # @param request [Request] whose deadline applies
      # @raise [Closed] the client is closed
      def open(request)
        return unless missing?

        begin_anew unless @generation == Trunkline.process_generation
        @turn.take(Waiting.now) { attempt(request) if missing? && Waiting.now >= @resume_at }
      end

      private

      def begin_anew
        @generation = Trunkline.process_generation
        @turn = Turn.new
        @resume_at = Waiting.now
      end

      def missing?
        trunk = @trunk
        trunk.nil? || !trunk.loss.nil? || trunk.inherited?
      end

      def attempt(request)
        probe = Request.companion.copy_limits(request)
        @resume_at = Waiting.now + PAUSE
        @trunk = @pool.over_shared_trunk(probe) { true }
      rescue Closed
        raise
      rescue Error
        nil
      end
    end
    private_constant :Flusher
  end
end
