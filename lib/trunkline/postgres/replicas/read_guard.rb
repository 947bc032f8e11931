# frozen_string_literal: true

require_relative "position"

module Trunkline
  module Postgres
    # What a read asks of the replica that carries it out. It travels in the read's own unit, before the statement, so a replica that does not
    # fulfil it refuses before it reads, and no round trip is added.
    class ReadGuard # :nodoc:
      # With this a replica refuses: the guard divides by 0.
      REFUSED = "22012"
      # With this where the transaction's isolation is higher than READ COMMITTED: the snapshot of the guard would be that of the read, and older
      # than what the guard has compared.
      ISOLATED = "22P02"
      # What keeps a statement from writing on the primary, which a replica would refuse as well.
      READ_ONLY = "SELECT pg_catalog.set_config('transaction_read_only', 'on', true)"
      # Seconds that a standby is behind. One that has replayed all that it has received, and still receives, is not, however long ago the last
      # transaction was.
      LAG = <<~SQL.gsub(/\s+/, " ").strip.freeze
        CASE WHEN pg_catalog.pg_last_wal_receive_lsn() OPERATOR(pg_catalog.<=) pg_catalog.pg_last_wal_replay_lsn()
                  AND (SELECT pid FROM pg_catalog.pg_stat_get_wal_receiver()) IS NOT NULL THEN 0
             ELSE EXTRACT(epoch FROM pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) pg_catalog.pg_last_xact_replay_timestamp()) END
      SQL
      # When the guard is passed, where the isolation permits. What is not known, as on a primary, counts as no.
      CHECK = "SELECT CASE WHEN pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.=) 'read committed' " \
              "THEN 1 OPERATOR(pg_catalog./) COALESCE(%s, false)::pg_catalog.int4 " \
              "ELSE pg_catalog.current_setting('transaction_isolation')::pg_catalog.int4 END"
      private_constant :CHECK

      # @return [Position, nil] that the replica must have replayed
      attr_reader :after

      # @return [Numeric, nil] seconds that it may be behind
      attr_reader :max_lag

      # @return [Boolean] whether the primary takes the read where no replica suits
      attr_reader :fallback

      # @return [String, nil] SQL that fails where the replica does not suit; nil: any does
      attr_reader :sql

      # LocalSettings has one as well: the guard changes no meaning.
      #
      # @return [nil]
      def context = nil

      # @param after [String, nil] a position
      # @param max_lag [Numeric, nil] seconds
      # @param fallback [Boolean]
      # @raise [ArgumentError, TypeError]
      def initialize(after: nil, max_lag: nil, fallback: true)
        raise ArgumentError, "fallback must be true or false, not #{fallback.inspect}" unless [true, false].include?(fallback)

        @after = after && Position.parse(after)
        @max_lag = checked_lag(max_lag)
        @fallback = fallback
        @sql = format(CHECK, conditions.join(" AND ")).freeze unless conditions.empty?
        freeze
      end

      # @param cluster [ClusterTimeline] what was seen of it
      # @return [String] SQL that goes before the read on the primary; it fails on one that is older than the position
      def on_primary(cluster)
        return READ_ONLY if after.nil? || after.timeline <= cluster.timeline || cluster.system.to_i != after.system

        timeline = "pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8)"
        "#{READ_ONLY}, 1 OPERATOR(pg_catalog./) (#{timeline} OPERATOR(pg_catalog.>=) '#{format("%08X", after.timeline)}')::pg_catalog.int4"
      end

      # @return [String] for messages
      def inspect = "after #{after&.to_s.inspect}, max_lag #{max_lag.inspect}"

      private

      def conditions
        [("pg_catalog.pg_last_wal_replay_lsn() OPERATOR(pg_catalog.>=) '#{after.lsn_text}'" if after),
         ("(#{LAG}) OPERATOR(pg_catalog.<=) #{max_lag}" if max_lag)].compact
      end

      def checked_lag(seconds)
        return if seconds.nil?
        return seconds if [Integer, Float, Rational].any? { |kind| kind === seconds } && seconds.to_f.finite? && !seconds.negative?

        raise ArgumentError, "max_lag must be a number of seconds, 0 or more, not #{seconds.inspect}"
      end
    end
    private_constant :ReadGuard
  end
end
