# frozen_string_literal: true

require_relative "../../trunk/deadlines"
require_relative "session_use"

module Trunkline
  module Postgres
    # Resets the connection of a lease to the state that any caller expects.
    module LeaseCleanup # :nodoc:
      # Seconds for that if the caller's deadline has passed. It is a bound: one to three scripts take a round trip each, and after it the connection is
      # closed.
      LONGEST = 1.0

      # @param lease [SessionLease] which has a connection
      # @param use [SessionUse] of the lease: there is something to undo
      # @return [Boolean] whether any caller may use the connection now
      def self.reset?(lease, use)
        Deadlines.instead(LONGEST) { use.cleanup_scripts(!(lease.idle? && lease.status == "I")).all? { |sql| run?(lease, sql) } }
      rescue Error
        false
      end

      def self.run?(lease, sql)
        lease.trunk.codec.enter_parse_context(0, 0)
        request = Request.script(sql)
        lease.transmit(request)
        request.answered? && request.status == "I"
      end
      private_class_method :run?
    end
    private_constant :LeaseCleanup
  end
end
