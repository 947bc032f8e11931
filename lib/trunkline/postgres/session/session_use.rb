# frozen_string_literal: true

require_relative "../statements/session_effect"

module Trunkline
  module Postgres
    # What one caller has done to a server session so far, and which commands reset it.
    class SessionUse # :nodoc:
      # SQL that resets it, except for prepared statements and what functions have planned: those that were parsed differently have another parse
      # context.
      RESET = "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; UNLISTEN *; " \
              "SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES"
      # SQL that also removes statements that were prepared under names of the caller's own. It takes no longer than the other (80 against 200
      # microseconds), but also removes the statements that every caller uses: each is parsed again, which takes about as long. A new connection takes
      # 20 ms.
      DISCARD = "DISCARD ALL"
      # From what is reset easily to what nothing resets.
      ORDER = %i[nothing reset discard close].freeze
      # The only SET that runs deferred triggers.
      CONSTRAINTS = /constraints/i
      private_constant :RESET, :DISCARD, :ORDER, :CONSTRAINTS

      def initialize
        @cleanup = :nothing
      end

      # It may have any state.
      def stateful! = require_cleanup(:reset)

      # @return [Boolean] whether there is something to reset
      def stateful? = @cleanup != :nothing

      # @return [Boolean] whether only closing the connection resets it
      def needs_close? = @cleanup == :close

      # @return [Array<String>] SQL, each text for one request
      # @param open [Boolean] whether a transaction may be open
      def cleanup_scripts(open)
        return [*("ROLLBACK" if open), DISCARD] if @cleanup == :discard

        [open ? "ROLLBACK; #{RESET}" : RESET]
      end

      # Notes the effect of a request that is about to be sent.
      #
      # @param request [Request] of a statement, or of a script
      # @param changed [Boolean] whether SQL is already parsed differently than for others: then the end of a transaction may change that again
      # @return [Boolean] whether SQL may be parsed differently after it
      def note(request, changed)
        return take(request, SessionEffect.of(request.script, :script)) if request.script

        statement = request.statement
        return false if statement.changes_nothing?
        return changed && request.changes_parse_context!(true) && true if %i[transaction savepoint].include?(statement.classification)

        request.calls_nothing! if sets_only?(statement) # SET TRANSACTION must precede any query, and DISCARD PLANS would be one
        classification = statement.shareable? ? :session : statement.classification # as within a transaction
        take(request, SessionEffect.of(statement.sql, classification, statement.culprit, statement.effect))
      end

      private

      def sets_only?(statement) = statement.classification == :setting && statement.culprit.casecmp?("SET") && !CONSTRAINTS.match?(statement.sql)

      def take(request, effect)
        require_cleanup(effect.cleanup)
        return false if effect.parse_context == :same

        request.changes_parse_context!(effect.parse_context == :plans)
        true
      end

      def require_cleanup(cleanup) = @cleanup = ORDER[[ORDER.index(@cleanup), ORDER.index(cleanup)].max]
    end
    private_constant :SessionUse
  end
end
