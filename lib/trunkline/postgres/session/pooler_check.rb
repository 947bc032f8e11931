# frozen_string_literal: true

require_relative "../statements/session_need"
require_relative "../statements/sharing_errors"

module Trunkline
  module Postgres
    # Checks whether the session state that a statement needs would be kept: a pooler that gives each transaction another server session would lose
    # it, or show it to others. Then the session uses session_url:, or the statement is refused.
    class PoolerCheck # :nodoc:
      # @param lease [SessionLease] of the session
      # @param sessions [Sessions] of the client
      def initialize(lease, sessions)
        @lease = lease
        @sessions = sessions
      end

      # @param request [Request] of a statement or a script, not sent
      # @raise [SharedStateError] it needs a persistent server session, and there is none
      # @raise [Error] no connection could be opened
      def check(request)
        open = open_transaction?
        need = SessionNeed.of(request, open)
        return unless need && pooled?(request)
        return change_access(request) if may_use_session_url? && !open

        raise SharingErrors.behind_pooler(request, need, @lease.server, where)
      end

      # Makes the session take its connection at session_url:, if given; it has no connection yet.
      #
      # @return [void]
      def use_session_url
        @lease.take_access(@sessions.direct) if may_use_session_url?
      end

      private

      # Whether a transaction is open, or will be opened by the next request.
      def open_transaction? = !@lease.pending.empty? || (@lease.last && @lease.status != "I")

      # @raise [SharedStateError] requests are in flight on the session's connection
      def change_access(request)
        raise @lease.unusable(request) unless @lease.idle? && !@lease.broken?

        @lease.take_access(@sessions.direct)
      end

      def pooled?(request) = @lease.trunk ? @lease.trunk.pooled? : @lease.access.pooled?(request)

      def may_use_session_url? = !@sessions.direct.nil? && !direct?

      def direct? = @lease.access.equal?(@sessions.direct)

      def where
        return :session if direct?

        may_use_session_url? ? :transaction : :anywhere
      end
    end
    private_constant :PoolerCheck
  end
end
