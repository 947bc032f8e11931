# frozen_string_literal: true

require_relative "statements"

module Trunkline
  module Postgres
    # Functions of a database's own that keep state in their session, as far as their source tells.
    module StateKeepers # :nodoc:
      # What extensions bring is theirs, and what the server brings is known. A body of standard SQL, as of PostgreSQL 14, has no source.
      FUNCTIONS = <<~SQL
        SELECT n.nspname::pg_catalog.text AS schema, p.proname::pg_catalog.text AS name,
               CASE WHEN p.prosrc OPERATOR(pg_catalog.=) '' THEN pg_catalog.pg_get_functiondef(p.oid) ELSE p.prosrc END AS source,
               p.prorettype OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.trigger', 'pg_catalog.event_trigger']::pg_catalog.regtype[]::pg_catalog.oid[]) AS trigger
        FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) p.pronamespace
        JOIN pg_catalog.pg_language l ON l.oid OPERATOR(pg_catalog.=) p.prolang
        WHERE l.lanname::pg_catalog.text OPERATOR(pg_catalog.<>) ALL (ARRAY['internal', 'c']::pg_catalog.text[])
          AND n.nspname::pg_catalog.text OPERATOR(pg_catalog.<>) ALL (ARRAY['pg_catalog', 'information_schema']::pg_catalog.text[])
          AND p.prokind OPERATOR(pg_catalog.=) ANY (ARRAY['f', 'p']::pg_catalog."char"[])
          AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid
                                                                 AND d.objid OPERATOR(pg_catalog.=) p.oid AND d.deptype OPERATOR(pg_catalog.=) 'e')
        ORDER BY 1, 2
      SQL
      # Before a statement within a block of PL/pgSQL.
      BEGINNINGS = /\b(?:BEGIN|THEN|ELSE|LOOP)\b/i
      STRING = /'((?:[^']|'')*+)'/
      # A string of one word is a value.
      WORDS = /\w\s++\S/
      # Words of PL/pgSQL, or of what ends with the transaction.
      PASSING = %w[close declare do execute fetch lock move].freeze
      TEMPORARY = %w[temp temporary].freeze
      LOCAL = /\ASET\s++(?:LOCAL|TRANSACTION|CONSTRAINTS)\b/i
      HELD = /\bWITH\s++HOLD\b/i
      DROPPED = /\bON\s++COMMIT\s++DROP\b/i
      private_constant :BEGINNINGS, :STRING, :WORDS, :PASSING, :TEMPORARY, :LOCAL, :HELD, :DROPPED

      module_function

      # @param functions [Array<Hash>] rows of {FUNCTIONS}
      # @return [Array<Hash>] those that keep state, and those that call one of these
      def among(functions)
        found = functions.select { |row| keeps?(row["source"]) }
        loop do
          more = (functions - found).select { |row| calls?(row["source"], names(found)) }
          return found if more.empty?

          found += more
        end
      end

      def names(functions) = functions.map { |row| [row["schema"], row["name"]] }

      def keeps?(source)
        calls?(source, []) || source.scrub.split(";").any? { |part| changes_session?(part.split(BEGINNINGS).last.to_s.strip) } ||
          source.scrub.scan(STRING).any? { |(text)| text.match?(WORDS) && changes_session?(text.gsub("''", "'").strip) }
      end

      # As part of a query, each statement shows which functions it calls.
      #
      # @param source [String] SQL, PL/pgSQL or an expression
      # @param functions [Array<Array(String, String)>] schemas and names, beside those that are known
      def calls?(source, functions)
        source.scrub.split(";").any? do |part|
          statement = statement("SELECT #{part}", functions)
          statement.verdict == :session && !TEMPORARY.include?(statement.culprit.downcase)
        end
      end

      def changes_session?(sql)
        statement = statement(sql, [])
        case statement.verdict
        when :setting then !sql.match?(LOCAL)
        when :listen then true
        when :session then sql.match?(HELD) || (!PASSING.include?(statement.culprit.downcase) && !sql.match?(DROPPED))
        else false
        end
      end

      def statement(sql, functions) = Statement.new(-sql, 0, functions)
      private_class_method :keeps?, :changes_session?, :statement
    end

    # The functions of a database that keep state, asked for once per client: functions belong to the database, and the first statement is
    # judged before there is a connection.
    class FunctionDetection # :nodoc:
      # @yieldreturn [Array<Hash>] rows of {StateKeepers::FUNCTIONS}
      def initialize(&ask)
        @ask = ask
      end

      # @return [Array<Array(String, String)>] schemas and names
      # @raise [Error] the server could not be asked; it is asked again the next time
      def to_a = @found ||= StateKeepers.names(StateKeepers.among(@ask.call)).uniq.freeze
    end
    private_constant :StateKeepers, :FunctionDetection
  end
end
