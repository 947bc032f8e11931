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
      # Seconds of the lag are float8, as EXTRACT had before version 14: no operator of numbers is looked for.
      REPLAYED = ["pg_catalog.pg_last_wal_replay_lsn() OPERATOR(pg_catalog.>=) $%d", "pg_catalog.pg_lsn", 3220].freeze
      RECENT = ["(#{LAG})::pg_catalog.float8 OPERATOR(pg_catalog.<=) $%d", "pg_catalog.float8", 701].freeze
      # What a guard asks, and how: sessions keep the SQL of each number prepared.
      #
      # number:: [Integer]
      # sql:: [String]
      # types:: [Array<String>] of its parameters
      # oids:: [Array<Integer>] the same
      Form = Struct.new(:number, :sql, :types, :oids) do
        # @param conditions [Array(String, String, Integer)] SQL, type and OID of each
        def self.of(number, *conditions)
          sql = conditions.each_with_index.map { |(condition), at| format(condition, at + 1) }
          new(number, format(CHECK, sql.join(" AND ")).freeze, conditions.map { |condition| condition[1] }.freeze, conditions.map(&:last).freeze).freeze
        end
      end
      # By whether a position and a lag are asked for.
      FORMS = { [false, false] => nil, [true, false] => Form.of(0, REPLAYED), [false, true] => Form.of(1, RECENT), [true, true] => Form.of(2, REPLAYED, RECENT) }.freeze
      private_constant :CHECK, :REPLAYED, :RECENT, :Form, :FORMS

      # @return [Position, nil] that the replica must have replayed
      attr_reader :after

      # @return [Numeric, nil] seconds that it may be behind
      attr_reader :max_lag

      # @return [Boolean] whether the primary takes the read where no replica suits
      attr_reader :fallback

      # @return [Array, nil] what fails where the replica does not suit, as {Request#guard=} takes it; nil: any does
      attr_reader :check

      # @return [String, nil] the same as SQL
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
        @check, @sql = checks(FORMS.fetch([!after.nil?, !max_lag.nil?]))
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

      # @return [Array(Array, String), nil]
      def checks(form)
        return if form.nil?

        texts = [after&.lsn_text, max_lag&.to_f&.to_s].compact.each(&:freeze).freeze
        literals = texts.each_with_index.to_h { |text, at| ["$#{at + 1}", "'#{text}'::#{form.types[at]}"] }
        [[form.number, form.sql, form.oids, texts].freeze, form.sql.gsub(/\$\d/, literals).freeze]
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
