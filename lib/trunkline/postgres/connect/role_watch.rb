# frozen_string_literal: true

require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # Reacts to servers that refuse a statement because they are read-only: behind a pooler or a name, or in a list of hosts of which any will do,
    # another server may accept writes by now. The connections that may lead to it retire, the hosts are searched again, and the statement is sent
    # once more.
    class RoleWatch # :nodoc:
      # Shortest time in seconds between two such searches. It is a bound: each costs a connection, so this is one a second at most while a standby
      # refuses writes.
      PAUSE = 1.0
      READ_ONLY = "its server is read-only"
      SILENT = "its server does not respond"
      # The check of idle connections: since version 14, a server reports with the answer to an empty statement, too, that it is not a standby any
      # more.
      QUERY = -> { Request.script("") }
      READERS = %w[read-only standby prefer-standby].freeze
      WRITERS = %w[read-write primary].freeze # each connection has been found to lead to a primary
      private_constant :PAUSE, :READ_ONLY, :SILENT, :READERS, :WRITERS

      # @param config [Config]
      # @param pools [Array<Pool>] of the client
      # @param trunks [TrunkFactory] of the client
      def initialize(config, pools, trunks)
        @reader = READERS.include?(config.target_session_attrs)
        @writer = WRITERS.include?(config.target_session_attrs)
        @pools = pools
        @trunks = trunks
        @searched_at = -Float::INFINITY
        @left = {}.compare_by_identity # the trunks at the last search
      end

      # A server has refused a statement as read-only, outside of a read-only transaction.
      #
      # @return [Boolean] whether another server, or the same one over another connection, may accept it
      def leave_read_only_servers
        return false if @reader
        return true if Waiting.now < @searched_at + PAUSE && !(@writer && moved_again?)

        trunks = open_trunks
        servers = trunks.select { |trunk| read_only?(trunk) }.map(&:server).uniq
        return false if servers.empty?

        @searched_at = Waiting.now
        @left = trunks.to_h { |trunk| [trunk, true] }.compare_by_identity
        @trunks.refused_write
        servers.each { |server| @trunks.avoid(server, READ_ONLY) }
        @pools.each { |pool| pool.retire_where(READ_ONLY) { |trunk| servers.include?(trunk.server) && !writable?(trunk) } }
        true
      end

      # A host is not reachable any more: its connections take no new requests, and it is tried last for a while. If its name resolves to another
      # address now, the connections to that address stay.
      #
      # @param gone [Trunk] one of the connections to it
      # @return [void]
      def retire_host(gone)
        address = address_of(gone)
        @trunks.avoid(gone.server, SILENT)
        @pools.each { |pool| pool.retire_where(SILENT) { |trunk| trunk.server == gone.server && address_of(trunk) == address } }
      end

      private

      def open_trunks = @pools.flat_map(&:trunks)

      # A connection that was opened since the last search led to a primary then, and has refused a write by now: its pooler was moved to another server
      # meanwhile.
      def moved_again? = open_trunks.any? { |trunk| !@left.key?(trunk) && pooled?(trunk) && trunk.codec.refused_write? }

      # @return [String, nil] the address of its server; nil: not connected any more
      def address_of(trunk)
        trunk.io.remote_address.inspect_sockaddr
      rescue SystemCallError, IOError
        nil
      end

      # Of two poolers, the one that leads to a standby has refused a statement.
      def read_only?(trunk) = pooled?(trunk) ? trunk.codec.refused_write? : !writable?(trunk)

      # Since version 14, a server reports it with its next answer. A pooler reports what was true when it connected itself, or nothing.
      def writable?(trunk)
        return false if pooled?(trunk)

        trunk.codec.parameters["in_hot_standby"] == "off" && trunk.codec.parameters["default_transaction_read_only"] != "on"
      end

      def pooled?(trunk) = trunk.pooled || trunk.origin&.pooled?(trunk.server_process)
    end
    private_constant :RoleWatch
  end
end
