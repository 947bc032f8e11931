# frozen_string_literal: true

require_relative "read_guard"

module Trunkline
  module Postgres
    # The replicas to which a read was sent in vain. It stays with the read when that is sent again.
    class Route # :nodoc:
      # How many replicas are tried before the primary, besides one that has reported that it has replayed the position. It is a bound: each costs a
      # round trip, so a read on many replicas that all lag takes four at most.
      MOST = 3
      WRITE = "25006"
      READS_ONLY = "db.replica { } takes reads only: call db.query, db.transaction or db.batch for what writes, which go to the primary"
      ISOLATED = "db.replica with after: or max_lag: needs READ COMMITTED: the snapshot of a higher isolation is older than the check of the " \
                 "replica; set default_transaction_isolation to read committed for the role or the database, or leave out after: and max_lag:"
      private_constant :WRITE, :READS_ONLY, :ISOLATED

      # @return [Array<Integer>, nil] the numbers of these replicas; nil: there are none
      attr_reader :passed

      # @return [Integer, nil] the number of the replica for which the caller counts as waiting now
      attr_accessor :chosen

      # @return [Integer, nil] when it was chosen: see {HostChoice#period}
      attr_accessor :period

      def initialize
        @passed = @chosen = @period = nil
        @waited = false
      end

      # @param number [Integer] of a replica
      def pass(number) = (@passed ||= []).push(number)

      # The read waits until a replica has replayed its position.
      def note_wait = @waited = true

      # @return [Boolean] whether it has done so
      def waited? = @waited

      # @return [Boolean] whether no further replica is tried
      def exhausted? = !@passed.nil? && @passed.size >= MOST

      # @param request [Request] not answered
      # @param error [Error] the reason
      # @return [Boolean] whether the replica did not fulfil the conditions, and has not read
      def refused?(request, error) = request.refused? && error.sqlstate == ReadGuard::REFUSED

      # @param request [Request] not answered
      # @param fields [Hash{Symbol => Object}] of the server's error
      # @return [String, nil] advice for the user
      def advice(request, fields)
        return READS_ONLY if fields[:sqlstate] == WRITE

        ISOLATED if request.refused? && fields[:sqlstate] == ReadGuard::ISOLATED
      end
    end
    private_constant :Route
  end
end
