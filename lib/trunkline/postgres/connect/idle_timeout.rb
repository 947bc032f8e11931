# frozen_string_literal: true

require_relative "../codec"

module Trunkline
  module Postgres
    # The time after which a server or a pooler closes an idle connection. Servers do not report it, so the next connection that is opened queries it
    # once a server has closed one for that reason; from then on, idle connections are replaced before that time.
    module IdleTimeout # :nodoc:
      ENDED_BY_SERVER = "57P05"
      ENDED_BY_PGBOUNCER = "client_idle_timeout"
      SQL = "SELECT EXTRACT(epoch FROM pg_catalog.current_setting('idle_session_timeout')::pg_catalog.interval)"
      # The part of the timeout after which they are replaced: the rest allows for a request's transfer, 1 s with a timeout of 10 s.
      SHARE = 0.9
      private_constant :ENDED_BY_SERVER, :ENDED_BY_PGBOUNCER, :SQL, :SHARE

      # @param pool [Pool] one of whose connections may have been closed for that reason
      # @param trunk [Trunk] new
      # @param responses [ResponseReader]
      # @return [Trunk] the same
      def self.apply(pool, trunk, responses)
        seconds = pool.ending && timeout(pool, trunk, responses)
        pool.idle_limit = seconds * SHARE if seconds
        applied = trunk
      ensure
        trunk.close("its first use was interrupted") unless applied
      end

      # @return [Float, nil] seconds; nil: the reason was another, or it is known already
      def self.timeout(pool, trunk, responses)
        ending = pool.ending
        return if ending.idle >= pool.idle_limit

        fields = ErrorFields.parse(ending.error)
        return fetch(trunk, responses) if fields[:sqlstate] == ENDED_BY_SERVER

        # PgBouncer does not report it: it is no more than this.
        ending.idle if fields[:message] == ENDED_BY_PGBOUNCER
      end

      # @return [Float, nil] nil: new sessions have none, or the query failed
      def self.fetch(trunk, responses)
        request = Request.script(SQL)
        trunk.perform(request)
        seconds = responses.results(request, Result).first&.value.to_f if request.answered?
        seconds if seconds&.positive?
      end
      private_class_method :timeout, :fetch
    end
    private_constant :IdleTimeout
  end
end
