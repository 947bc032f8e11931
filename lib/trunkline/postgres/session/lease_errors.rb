# frozen_string_literal: true

module Trunkline
  module Postgres
    # The errors of a session whose connection cannot take a request. Each contains the request's SQL and the server.
    module LeaseErrors # :nodoc:
      module_function

      def ended(request, server) = Closed.new("the session has ended", sql: sql(request), server: server)

      def in_use(request, server)
        SharedStateError.new("another fiber or thread uses the session at this moment", sql: sql(request), server: server)
      end

      def in_use_elsewhere(request, server)
        SharedStateError.new("another event loop uses the session at this moment", sql: sql(request), server: server)
      end

      def streaming(request, server)
        SharedStateError.new("the session is in the middle of a stream or COPY: wait for its end, or use another session", sql: sql(request), server: server)
      end

      # @param reason [String] one sentence
      def broken(request, server, reason)
        ConnectionError.new("the session cannot be used any more: #{reason}", sql: sql(request), server: server, retriable: false)
      end

      def lost(sql, server)
        ConnectionError.new("the connection was lost in the middle of a transaction, which the server rolls back", sql: sql, server: server, retriable: false)
      end

      # @param lease [SessionLease] which takes no request
      def unusable(lease, request)
        return broken(request, lease.server, "its connection belongs to the parent process") if lease.trunk&.inherited?

        lease.broken? ? broken(request, lease.server, lease.why_broken) : in_use_elsewhere(request, lease.server)
      end

      def sql(request) = request.statement&.sql || request.script
    end
    private_constant :LeaseErrors
  end
end
