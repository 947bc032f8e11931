# frozen_string_literal: true

require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # Reads whose callers have got the answer of another replica, and which were so short that none asked the server to cancel them. Where one takes long
    # after all, and no other caller is on its connection, a later read has it cancelled: the connection would be of no use until it ends.
    class LeftBehind # :nodoc:
      # Seconds from one look to the next: a short statement is worth a cancel when it takes 0.2 s longer than expected.
      LOOK_EVERY = 0.05
      # Seconds that a cancel may take, while a caller waits whose read it is not. A server that does not answer costs so much, once for each connection.
      CANCEL = 0.01
      private_constant :LOOK_EVERY, :CANCEL

      def initialize
        @reads = []
        @look_at = -Float::INFINITY
      end

      # @param trunk [Trunk] on which it is in flight
      # @param request [Request] done for its caller
      def add(trunk, request) = @reads << [trunk, request]

      # Ends one that takes long.
      def look
        return if @reads.empty? || (now = Waiting.now) < @look_at

        @look_at = now + LOOK_EVERY
        @reads.reject! { |trunk, request| over?(trunk, request) }
        late = @reads.find { |trunk,| trunk.state.held_up? } or return
        @reads.delete(late)
        late.first.cancel_abandoned(now + CANCEL)
      end

      # @return [Integer]
      def size = @reads.size

      private

      # Has it ended, or are there other callers on its connection, of which the one that leads has it cancelled?
      def over?(trunk, request)
        trunk.catch_up
        !trunk.loss.nil? || !trunk.state.head.equal?(request) || !trunk.deserted?
      end
    end
    private_constant :LeftBehind
  end
end
