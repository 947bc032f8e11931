# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # Whether functions of the application's own keep state in their session, and what else calls such functions.
      module Functions # :nodoc:
        # What extensions bring is theirs, and what the server brings is known. A body of standard SQL, as of PostgreSQL 14, has no source.
        FUNCTIONS = <<~SQL
          SELECT n.nspname::pg_catalog.text AS schema, p.proname::pg_catalog.text AS name,
                 CASE p.prosrc WHEN '' THEN pg_catalog.pg_get_functiondef(p.oid) ELSE p.prosrc END AS source,
                 p.prorettype IN ('pg_catalog.trigger'::pg_catalog.regtype, 'pg_catalog.event_trigger'::pg_catalog.regtype) AS trigger
          FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace JOIN pg_catalog.pg_language l ON l.oid = p.prolang
          WHERE l.lanname NOT IN ('internal', 'c') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND p.prokind IN ('f', 'p')
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')
          ORDER BY 1, 2
        SQL
        # What runs by itself, and the expressions or functions that it runs.
        CARRIERS = <<~SQL
          SELECT 'trigger ' || t.tgname || ' on ' || t.tgrelid::pg_catalog.regclass::pg_catalog.text AS carrier,
                 pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(p.proname) || '()' AS source
          FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
          WHERE NOT t.tgisinternal
          UNION ALL SELECT 'view ' || c.oid::pg_catalog.regclass::pg_catalog.text, pg_catalog.pg_get_viewdef(c.oid)
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE c.relkind = 'v' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
          UNION ALL SELECT 'default of ' || adrelid::pg_catalog.regclass::pg_catalog.text, pg_catalog.pg_get_expr(adbin, adrelid) FROM pg_catalog.pg_attrdef
          UNION ALL SELECT 'policy ' || polname || ' on ' || polrelid::pg_catalog.regclass::pg_catalog.text,
                           pg_catalog.concat_ws(', ', pg_catalog.pg_get_expr(polqual, polrelid), pg_catalog.pg_get_expr(polwithcheck, polrelid))
          FROM pg_catalog.pg_policy
          UNION ALL SELECT 'check of ' || conrelid::pg_catalog.regclass::pg_catalog.text, pg_catalog.pg_get_expr(conbin, conrelid)
          FROM pg_catalog.pg_constraint WHERE contype = 'c' AND conrelid <> 0
          ORDER BY 1
        SQL
        NONE = "No function of the database's own is seen to keep state in its session."
        BY_THEMSELVES = "These run functions that keep state, and no SQL shows it: %s. Let such a function end its settings and locks with the transaction " \
                        "(set_config(..., true), SET LOCAL, pg_advisory_xact_lock), or use these tables and views in session { } alone."
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
        private_constant :FUNCTIONS, :CARRIERS, :NONE, :BY_THEMSELVES, :BEGINNINGS, :STRING, :WORDS, :PASSING, :TEMPORARY, :LOCAL, :HELD, :DROPPED

        module_function

        # @return [Array<Array(Symbol, String)>] verdicts and sentences
        def findings(patient)
          keepers = keepers(patient.db.query(FUNCTIONS).to_a)
          carriers = patient.db.query(CARRIERS).select { |row| row["source"] && calls?(row["source"], names(keepers)) }.map { |row| row["carrier"] }.uniq
          callable = keepers.reject { |row| row["trigger"] }.map { |row| "#{quoted(row["schema"])}.#{quoted(row["name"])}" }.uniq.sort
          found = []
          found.push([:advice, "Functions keep state in their session. Name them: session_functions: #{callable.inspect}"]) unless callable.empty?
          found.push([:advice, format(BY_THEMSELVES, carriers.join(", "))]) unless carriers.empty?
          found.empty? ? [[:fine, NONE]] : found
        end

        # Those that do, and those that call one of these.
        def keepers(functions)
          found = functions.select { |row| keeps?(row["source"]) }
          loop do
            more = (functions - found).select { |row| calls?(row["source"], names(found)) }
            return found if more.empty?

            found += more
          end
        end

        def names(functions) = functions.map { |row| [row["schema"], row["name"]] }

        def quoted(name) = name.match?(/\A[a-z_][a-z0-9_]*\z/) ? name : %("#{name.gsub('"', '""')}")

        def keeps?(source)
          calls?(source, []) || source.split(";").any? { |part| changes_session?(part.split(BEGINNINGS).last.to_s.strip) } ||
            source.scan(STRING).any? { |(text)| text.match?(WORDS) && changes_session?(text.gsub("''", "'").strip) }
        end

        # As part of a query, each statement shows which functions it calls.
        def calls?(source, functions)
          source.split(";").any? do |part|
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

        def statement(sql, functions) = Postgres.const_get(:Statement).new(-sql, 0, functions)
        private_class_method :keepers, :names, :quoted, :keeps?, :calls?, :changes_session?, :statement
      end
      private_constant :Functions
    end
  end
end
