# frozen_string_literal: true

require_relative "read_guard"

module Trunkline
  module Postgres
    # Measures how far a replica is behind; run now and then by a caller.
    class LagQuery # :nodoc:
      # The timeline is that of the last restart point or later: a standby that follows another primary reports it some time after.
      SQL = <<~QUERY.gsub(/\s+/, " ").strip.freeze
        SELECT pg_catalog.pg_is_in_recovery(), (#{ReadGuard::LAG})::pg_catalog.float8, (pg_catalog.pg_last_wal_replay_lsn() OPERATOR(pg_catalog.-) '0/0')::pg_catalog.int8,
          GREATEST(timeline_id, min_recovery_end_timeline)::pg_catalog.int8, pg_catalog.current_setting('server_version_num')::pg_catalog.int4
        FROM pg_catalog.pg_control_checkpoint(), pg_catalog.pg_control_recovery()
      QUERY
      # Seconds between two queries: each takes a server 0.1 ms.
      EVERY = 1.0
      # Seconds that the caller waits for the answer. It is a bound: once a second, a caller waits this long for a replica that does not respond.
      TIMEOUT = 0.25

      # @return [Array(Boolean, Float, Integer, Integer, Integer), nil] whether it is a standby, seconds that it is behind, bytes that it has
      #   replayed, timeline, version number of the server; nil: it was not answered
      def self.answer(request) = (request.rows.first if request.answered?)
    end
    private_constant :LagQuery
  end
end
