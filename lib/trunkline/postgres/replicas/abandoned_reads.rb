# frozen_string_literal: true

require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # Reads whose callers have got another replica's answer, and which were so short that they were not cancelled. If one takes long after all, and no
    # other caller uses its connection, a later read cancels it: the connection would be blocked until it ends.
    class AbandonedReads # :nodoc:
      # Seconds between two checks: a short statement is worth a cancel when it takes 0.2 s longer than expected (CANCEL_AFTER), and is cancelled a quarter
      # of that later at most.
      CHECK_INTERVAL = 0.05
      # Seconds that such a cancel may take, while the caller of another read waits. It is a bound: a server that does not answer costs that much, once
      # for each connection.
      CANCEL = 0.01
      private_constant :CHECK_INTERVAL, :CANCEL

      def initialize
        @reads = []
        @check_at = -Float::INFINITY
      end

      # @param trunk [Trunk] on which it is in flight
      # @param request [Request] done for its caller
      def add(trunk, request) = @reads << [trunk, request]

      # Cancels one that takes long.
      def cancel_slow
        return if @reads.empty? || (now = Waiting.now) < @check_at

        @check_at = now + CHECK_INTERVAL
        @reads.reject! { |trunk, request| over?(trunk, request) }
        slow = @reads.find { |trunk,| trunk.state.head_blocks? } or return
        @reads.delete(slow)
        slow.first.cancel_abandoned(now + CANCEL)
      end

      # @return [Integer]
      def size = @reads.size

      private

      # Whether it has ended, or other callers use its connection, whose leader cancels it.
      def over?(trunk, request)
        trunk.read_unattended
        !trunk.loss.nil? || !trunk.state.head.equal?(request) || !trunk.deserted?
      end
    end
    private_constant :AbandonedReads
  end
end
