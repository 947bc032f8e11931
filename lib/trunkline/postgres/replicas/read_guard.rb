# frozen_string_literal: true

require_relative "position"

module Trunkline
  module Postgres
    # The conditions that a replica must fulfil to execute a read. They are sent in the read's own unit, before the statement: a replica that does not
    # fulfil them fails before it reads, and no round trip is added.
    class ReadGuard # :nodoc:
      # SQLSTATE with which a replica refuses: the guard divides by 0.
      REFUSED = "22012"
      # SQLSTATE if the transaction's isolation is higher than READ COMMITTED: the guard's snapshot would also be the read's, and older than what the
      # guard has compared.
      ISOLATED = "22P02"
      # Prevents a statement from writing on the primary; a replica would refuse to write anyway.
      READ_ONLY = "SELECT pg_catalog.set_config('transaction_read_only', 'on', true)"
      # Seconds that a standby is behind. One that has replayed all that it has received, and still receives, is not behind, however long ago the last
      # transaction was.
      LAG = <<~SQL.gsub(/\s+/, " ").strip.freeze
        CASE WHEN pg_catalog.pg_last_wal_receive_lsn() OPERATOR(pg_catalog.<=) pg_catalog.pg_last_wal_replay_lsn()
                  AND (SELECT pid FROM pg_catalog.pg_stat_get_wal_receiver()) IS NOT NULL THEN 0
             ELSE EXTRACT(epoch FROM pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) pg_catalog.pg_last_xact_replay_timestamp()) END
      SQL
      # Passes if the conditions are fulfilled and the isolation permits it. Unknown values, as on a primary, count as not fulfilled.
      CHECK = "SELECT CASE WHEN pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.=) 'read committed' " \
              "THEN 1 OPERATOR(pg_catalog./) COALESCE(%s, false)::pg_catalog.int4 " \
              "ELSE pg_catalog.current_setting('transaction_isolation')::pg_catalog.int4 END"
      # Seconds of the lag are float8, as EXTRACT returned before version 14, so that no operator for numeric is searched.
      REPLAYED = ["pg_catalog.pg_last_wal_replay_lsn() OPERATOR(pg_catalog.>=) $%d", "pg_catalog.pg_lsn", 3220].freeze
      RECENT = ["(#{LAG})::pg_catalog.float8 OPERATOR(pg_catalog.<=) $%d", "pg_catalog.float8", 701].freeze
      # The SQL of a guard's conditions: sessions keep the SQL of each number prepared.
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
      # Indexed by whether there is a position and a lag.
      FORMS = { [false, false] => nil, [true, false] => Form.of(0, REPLAYED), [false, true] => Form.of(1, RECENT), [true, true] => Form.of(2, REPLAYED, RECENT) }.freeze
      private_constant :CHECK, :REPLAYED, :RECENT, :Form, :FORMS

      # @return [Position, nil] that the replica must have replayed
      attr_reader :after

      # @return [Numeric, nil] seconds that it may be behind
      attr_reader :max_lag

      # @return [Boolean] whether the primary takes the read if no replica fulfils the conditions
      attr_reader :fallback

      # @return [Array, nil] the query that fails if the replica does not fulfil them, as {Request#guard=} takes it; nil: there are no conditions
      attr_reader :check

      # @return [String, nil] the same as SQL
      attr_reader :sql

      # The same method as of LocalSettings: a guard does not change how SQL is parsed.
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

      # @param cluster [ClusterTimeline] of the client
      # @return [String] SQL to run before the read on the primary; it fails on one that is older than the position
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
