# frozen_string_literal: true

require_relative "../../errors"
require_relative "startup"

module Trunkline
  module Postgres
    # Identifies a server: its cluster, its timeline, and whether it is in recovery.
    #
    # system:: [String] the system identifier, which all copies of a cluster share
    # timeline:: [Integer] which each promotion increases
    # recovery:: [Boolean] whether it is a standby
    # process:: [Integer] ID of the server process that answered
    # server:: [String] label for messages
    ServerIdentity = Struct.new(:system, :timeline, :recovery, :process, :server) do
      # @param highest [Integer] timeline that was seen in the cluster
      # @return [Boolean] whether it accepts writes that the cluster has lost, as another server was promoted since
      def former_primary?(highest) = !recovery && timeline < highest

      # @param reported [Integer, nil] the process ID that was reported when the connection began
      # @return [Boolean] whether a pooler is in between, which may lead each transaction to another server
      def pooled?(reported) = process != reported
    end

    # Queries a new session for the identity of its server, without I/O. The role needs no privilege for that. A server that does not report it, such
    # as a pooler's own console, has none.
    class IdentityQuery # :nodoc:
      # After a promotion, the checkpoint record in the control file is out of date for a while. So a primary is queried for the WAL file that it
      # writes to, whose name begins with the timeline, and a standby for the timeline of what it has replayed as well.
      SQL = <<~QUERY
        SELECT system_identifier, pg_catalog.pg_is_in_recovery(),
          CASE WHEN pg_catalog.pg_is_in_recovery()
               THEN pg_catalog.upper(pg_catalog.to_hex(GREATEST(timeline_id, min_recovery_end_timeline)))
               ELSE pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8) END,
          pg_catalog.pg_backend_pid()
        FROM pg_catalog.pg_control_system(), pg_catalog.pg_control_checkpoint(), pg_catalog.pg_control_recovery()
      QUERY
      MESSAGE = Startup::EarlyQuery.message(SQL).freeze

      # @param server [String] label for messages
      # @param leftover [String] bytes of the answer that were read before
      def initialize(server, leftover)
        @server = server
        @query = Startup::EarlyQuery.new("the query for the server's identity", leftover)
      end

      def answered? = @query.answered?

      # @param bytes [String] what the server sent
      # @raise [ProtocolError]
      def receive(bytes) = @query.receive(bytes)

      # @return [String] bytes that follow the answer
      def leftover = @query.leftover

      # @return [ServerIdentity, nil] nil: the server does not report it
      def identity
        system, recovery, timeline, process = @query.row
        ServerIdentity.new(system, timeline.to_i(16), recovery == "t", process.to_i, @server).freeze if system && recovery && timeline
      end
    end
    private_constant :ServerIdentity, :IdentityQuery
  end
end
