# frozen_string_literal: true

require_relative "readers"

module Trunkline
  module Postgres
    # Reads of replicas. Includers have `readers`, nil where there are none.
    module Replicated
      # Reads of the replicas: of the hosts those that are standbys, of a client that was made with `replicas: true`. See guides/replicas.md.
      #
      #   db.replica.query("SELECT * FROM orders WHERE id = $1", 42)
      #   token = db.position                        # after a write
      #   db.replica(after: token) { |reads| reads.value("SELECT count(*) FROM orders") }
      #
      # @param after [String, nil] a {#position} that the replica must have replayed: it refuses before it reads where it has not, and the next one is
      #   asked, then the primary. One of another timeline or cluster means the primary
      # @param max_lag [Numeric, nil] seconds that the replica may be behind
      # @param fallback [Boolean] whether the primary takes a read where no replica does
      # @param hedge [Boolean] whether a read that is late is sent to a second replica, too: when 99 of 100 reads of its statement had their answers
      #   sooner. That makes 2 % more reads at most. Of transactions, streams, batches and {Querying#async} none is
      # @yieldparam reader [Reader]
      # @return [Reader, Object] what the block returned, where one is given
      # @raise [ArgumentError] the client has no replicas; after is no position, or max_lag no number of seconds
      def replica(after: nil, max_lag: nil, fallback: true, hedge: false)
        raise ArgumentError, "this client has no replicas: make it with Trunkline.postgres(..., replicas: true)" unless readers

        usual = after.nil? && max_lag.nil? && fallback == true
        reader = if usual then hedge || hedge.nil? ? readers.with(hedge: hedge) : readers.with
                 else readers.with(after: after, max_lag: max_lag, fallback: fallback, hedge: hedge)
                 end
        block_given? ? yield(reader) : reader
      end

      # How far the primary has written: what was committed before this is called lies before it. Asked after a write, and kept with the user, in a
      # cookie for example, it has {#replica} read that write.
      #
      # @return [String] 40 characters at most: digits, lower-case letters and points
      # @raise [SharedStateError] within a transaction, whose COMMIT will lie behind it
      # @raise [ServerError] the server is a standby
      # @raise [Error] as {Querying#query}
      def position
        check_position_is_complete
        system, timeline, lsn = look_up(Position::SQL, []).first
        Position.new(system & 0xffff_ffff_ffff_ffff, timeline, lsn).to_s
      end

      private

      # The look-up of a position goes where the caller's queries go.
      #
      # @raise [SharedStateError]
      def check_position_is_complete
        return unless @executor.within_transaction?

        raise SharedStateError, "the COMMIT of this transaction will lie behind the position: call position after the transaction"
      end
    end
  end
end
