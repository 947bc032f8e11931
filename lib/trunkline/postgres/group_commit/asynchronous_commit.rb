# frozen_string_literal: true

require_relative "../codec"
require_relative "shared_flush"

module Trunkline
  module Postgres
    # Configures connections to commit without waiting for the server's disk, for {GroupCommit} alone.
    module AsynchronousCommit # :nodoc:
      # Returns the level of the role or database, for the flushes. The setting applies only if the server process is the one that was reported at
      # startup: behind a pooler, another client would get it. Whether the role may flush is tried, not looked up.
      SQL = "SELECT pg_catalog.current_setting('synchronous_commit'), pg_catalog.pg_postmaster_start_time()::pg_catalog.text, " \
                 "CASE WHEN pg_catalog.pg_backend_pid() OPERATOR(pg_catalog.=) %<pid>d AND " \
                 "pg_catalog.pg_logical_emit_message(true, 'trunkline', '') IS NOT NULL " \
                 "THEN pg_catalog.set_config('synchronous_commit', 'off', false) END"
      POOLED = "there is a pooler between client and server, so a flush over one connection does not show that commits over others are durable"
      private_constant :SQL, :POOLED

      # @param trunk [Trunk] new
      # @param pid [Integer, nil] of the server process that was reported at startup
      # @param statement [Statement] of {SharedFlush::SQL}
      # @param responses [ResponseReader]
      # @return [Trunk] the same, whose codec has its {Flushes}
      # @raise [ConnectionError, ServerError] that is not possible; the connection is closed
      def self.prepare(trunk, pid, statement, responses)
        level, server, set = fetch(trunk, pid, responses)
        raise ConnectionError.new(POOLED, server: trunk.server, retriable: false) unless set

        trunk.codec.flushes = Flushes.new(server, trunk, statement, level == "off" ? "on" : level, pid)
        prepared = trunk
      ensure
        trunk.close("its commits cannot be flushed together") unless prepared
      end

      def self.fetch(trunk, pid, responses)
        request = Request.script(format(SQL, pid: pid.to_i))
        trunk.perform(request)
        raise responses.error(request) unless request.answered?

        responses.results(request, Result).first.rows.first
      end
      private_class_method :fetch
    end
    private_constant :AsynchronousCommit
  end
end
