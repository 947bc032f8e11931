# frozen_string_literal: true

require_relative "../../errors"
require_relative "startup"

module Trunkline
  module Postgres
    # Which cluster a server belongs to, on which timeline it is, and whether it is in recovery.
    #
    # system:: [String] the system identifier, which all copies of a cluster share
    # timeline:: [Integer] each promotion begins a higher one
    # recovery:: [Boolean] whether it is a standby
    # process:: [Integer] id of the server process that answered
    # server:: [String] label for messages
    ServerIdentity = Struct.new(:system, :timeline, :recovery, :process, :server) do
      # @param highest [Integer] timeline that was seen in the cluster
      # @return [Boolean] whether it takes writes that the cluster has lost since another server was promoted
      def former_primary?(highest) = !recovery && timeline < highest

      # @param told [Integer, nil] the server process that the connection was told of as it began
      # @return [Boolean] whether a pooler stands in between, which may lead each transaction to another server
      def pooled?(told) = process != told
    end

    # Asks a new session for the identity of its server: bytes in, bytes out. A role needs no privilege for that. A server that does not tell
    # it, such as a pooler's own console, has none.
    class IdentityQuery # :nodoc:
      # The checkpoint record in the control file is older than a promotion for a while. So a primary is asked for the file that it writes to,
      # whose name begins with the timeline, and a standby for the timeline of what it has replayed too.
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
        @query = Startup::EarlyQuery.new("the question for the server's identity", leftover)
      end

      def answered? = @query.answered?

      # @param bytes [String] what the server sent
      # @raise [ProtocolError]
      def receive(bytes) = @query.receive(bytes)

      # @return [String] bytes that came after the answer
      def leftover = @query.leftover

      # @return [ServerIdentity, nil] nil: the server does not tell
      def identity
        system, recovery, timeline, process = @query.row
        ServerIdentity.new(system, timeline.to_i(16), recovery == "t", process.to_i, @server).freeze if system && recovery && timeline
      end
    end
    private_constant :ServerIdentity, :IdentityQuery
  end
end
