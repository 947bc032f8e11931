# frozen_string_literal: true

require_relative "../statements/session_need"
require_relative "../statements/sharing_errors"

module Trunkline
  module Postgres
    # Whether what a session is asked can be kept where its connection leads: a pooler that gives each transaction another server session would
    # lose it, or show it to others. Then it goes over session_url:, or is refused.
    class PoolerCheck # :nodoc:
      # @param lease [SessionLease] of the session
      # @param sessions [Sessions] of the client
      def initialize(lease, sessions)
        @lease = lease
        @sessions = sessions
      end

      # @param request [Request] of a statement or a script, not sent
      # @raise [SharedStateError] it needs a server session that stays, and there is none
      # @raise [Error] no connection could be had
      def check(request)
        open = open_transaction?
        need = SessionNeed.of(request, open)
        return unless need && pooled?(request)
        return change_access(request) if may_go_direct? && !open

        raise SharingErrors.behind_pooler(request, need, @lease.server, where)
      end

      # The session takes its connection at session_url:, where one was given; it has none yet.
      #
      # @return [void]
      def go_direct
        @lease.take_access(@sessions.direct) if may_go_direct?
      end

      private

      # Or about to be begun.
      def open_transaction? = !@lease.pending.empty? || (@lease.last && @lease.status != "I")

      # @raise [SharedStateError] requests are under way on the connection that there is
      def change_access(request)
        raise @lease.stuck(request) unless @lease.idle? && !@lease.broken?

        @lease.take_access(@sessions.direct)
      end

      def pooled?(request) = @lease.trunk ? @lease.trunk.pooled? : @lease.access.pooled?(request)

      def may_go_direct? = !@sessions.direct.nil? && !direct?

      def direct? = @lease.access.equal?(@sessions.direct)

      def where
        return :session if direct?

        may_go_direct? ? :transaction : :anywhere
      end
    end
    private_constant :PoolerCheck
  end
end
