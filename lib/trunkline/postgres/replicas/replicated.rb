# frozen_string_literal: true

require_relative "readers"

module Trunkline
  module Postgres
    # Reads from replicas. Includers have `readers`, which is nil if there are none.
    module Replicated
      # Reads from the replicas: the hosts that are standbys, of a client made with `replicas: true`. See guides/replicas.md.
      #
      #   db.replica.query("SELECT * FROM orders WHERE id = $1", 42)
      #   token = db.position                        # after a write
      #   db.replica(after: token) { |reads| reads.value("SELECT count(*) FROM orders") }
      #
      # @param after [String, nil] a {#position} that the replica must have replayed: one that has not fails before it reads, and the next one is
      #   tried, then the primary. A position of another timeline or cluster means the primary
      # @param max_lag [Numeric, nil] seconds that the replica may be behind
      # @param fallback [Boolean] whether the primary takes a read if no replica does
      # @param hedge [Boolean] whether a slow read is also sent to a second replica: one that is slower than 99 of 100 reads of its statement. That
      #   makes 2 % more reads at most. It does not apply to transactions, streams, batches and {Querying#async}
      # @yieldparam reader [Reader]
      # @return [Reader, Object] with a block, what the block returned
      # @raise [ArgumentError] the client has no replicas; `after` is no position, or `max_lag` no number of seconds
      def replica(after: nil, max_lag: nil, fallback: true, hedge: false)
        raise ArgumentError, "this client has no replicas: make it with Trunkline.postgres(..., replicas: true)" unless readers

        usual = after.nil? && max_lag.nil? && fallback == true
        reader = if usual then hedge || hedge.nil? ? readers.with(hedge: hedge) : readers.with
                 else readers.with(after: after, max_lag: max_lag, fallback: fallback, hedge: hedge)
                 end
        block_given? ? yield(reader) : reader
      end

      # The primary's current write position: everything that was committed before this call is included. If it is taken after a write and kept with
      # the user, in a cookie for example, {#replica} with `after:` reads that write.
      #
      # @return [String] 40 characters at most: digits, lower-case letters and points
      # @raise [SharedStateError] within a transaction, whose COMMIT will come after the position
      # @raise [ServerError] the server is a standby
      # @raise [Error] as {Querying#query}
      def position
        check_position_is_complete
        system, timeline, lsn = look_up(Position::SQL, []).first
        Position.new(system & 0xffff_ffff_ffff_ffff, timeline, lsn).to_s
      end

      private

      # The query for a position uses the connection of the caller's queries.
      #
      # @raise [SharedStateError]
      def check_position_is_complete
        return unless @executor.within_transaction?

        raise SharedStateError, "the COMMIT of this transaction will come after the position: call position after the transaction"
      end
    end
  end
end
