# frozen_string_literal: true

require_relative "../statements/session_effect"

module Trunkline
  module Postgres
    # What one caller has done to a server session so far, and what undoes it.
    class SessionUse # :nodoc:
      # SQL that undoes it, but for prepared statements and what functions have planned: what was read otherwise is told apart by its parse context.
      RESET = "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; UNLISTEN *; " \
              "SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES"
      # SQL that undoes what is prepared under names of the caller's own, too. It takes no longer than the other (80 against 200 microseconds),
      # but with it go the statements that every caller uses: each is parsed again, which takes about as long. A new connection takes 20 ms.
      DISCARD = "DISCARD ALL"
      # From what is undone easily to what nothing undoes.
      ORDER = %i[nothing reset discard close].freeze
      # What runs triggers that have waited, of all that SET does.
      CONSTRAINTS = /constraints/i
      private_constant :RESET, :DISCARD, :ORDER, :CONSTRAINTS

      def initialize
        @undone_by = :nothing
      end

      # Whatever was done, it may hold something.
      def stateful! = grow(:reset)

      # @return [Boolean] whether there is something to undo
      def stateful? = @undone_by != :nothing

      # @return [Boolean] whether only the connection's end undoes what was done
      def for_good? = @undone_by == :close

      # @return [Array<String>] SQL, each text a request of its own
      # @param open [Boolean] whether a transaction may be open
      def undoing(open)
        return [*("ROLLBACK" if open), DISCARD] if @undone_by == :discard

        [open ? "ROLLBACK; #{RESET}" : RESET]
      end

      # A request is about to be sent: what it does to the session goes with it.
      #
      # @param request [Request] of a statement, or of a script
      # @param changed [Boolean] whether SQL means something else already than it does for others: then the end of a transaction may change
      #   that again
      # @return [Boolean] whether SQL may mean something else behind it
      def note(request, changed)
        return take(request, SessionEffect.of(request.script, :script)) if request.script

        statement = request.statement
        return false if statement.changes_nothing?
        return changed && request.changes_parse_context!(true) && true if %i[transaction savepoint].include?(statement.classification)

        request.calls_nothing! if sets_only?(statement) # SET TRANSACTION comes before any query, and DISCARD PLANS would be one
        classification = statement.shareable? ? :session : statement.classification # as within a transaction
        take(request, SessionEffect.of(statement.sql, classification, statement.culprit, statement.effect))
      end

      private

      def sets_only?(statement) = statement.classification == :setting && statement.culprit.casecmp?("SET") && !CONSTRAINTS.match?(statement.sql)

      def take(request, effect)
        grow(effect.undone_by)
        return false if effect.parse_context == :same

        request.changes_parse_context!(effect.parse_context == :plans)
        true
      end

      def grow(undone_by) = @undone_by = ORDER[[ORDER.index(@undone_by), ORDER.index(undone_by)].max]
    end
    private_constant :SessionUse
  end
end
