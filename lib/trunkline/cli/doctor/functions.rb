# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # Whether functions of the application's own keep state in their session, and what else calls such functions.
      module Functions # :nodoc:
        # What runs by itself, and the expressions or functions that it runs.
        CARRIERS = <<~SQL
          SELECT pg_catalog.format('trigger %s on %s', t.tgname, t.tgrelid::pg_catalog.regclass) AS carrier,
                 pg_catalog.format('%I.%I()', n.nspname, p.proname) AS source
          FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) t.tgfoid
          JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) p.pronamespace
          WHERE NOT t.tgisinternal
          UNION ALL SELECT pg_catalog.format('view %s', c.oid::pg_catalog.regclass), pg_catalog.pg_get_viewdef(c.oid)
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
          WHERE c.relkind OPERATOR(pg_catalog.=) 'v'
            AND n.nspname::pg_catalog.text OPERATOR(pg_catalog.<>) ALL (ARRAY['pg_catalog', 'information_schema']::pg_catalog.text[])
          UNION ALL SELECT pg_catalog.format('default of %s', adrelid::pg_catalog.regclass), pg_catalog.pg_get_expr(adbin, adrelid)
          FROM pg_catalog.pg_attrdef
          UNION ALL SELECT pg_catalog.format('policy %s on %s', polname, polrelid::pg_catalog.regclass),
                           pg_catalog.concat_ws(', ', pg_catalog.pg_get_expr(polqual, polrelid), pg_catalog.pg_get_expr(polwithcheck, polrelid))
          FROM pg_catalog.pg_policy
          UNION ALL SELECT pg_catalog.format('check of %s', conrelid::pg_catalog.regclass), pg_catalog.pg_get_expr(conbin, conrelid)
          FROM pg_catalog.pg_constraint WHERE contype OPERATOR(pg_catalog.=) 'c' AND conrelid OPERATOR(pg_catalog.<>) '0'::pg_catalog.oid
          ORDER BY 1
        SQL
        STATE = Postgres.const_get(:StateKeepers)
        NONE = "No function of the database's own is seen to keep state in its session."
        BY_THEMSELVES = "These run functions that keep state, and no SQL shows it: %s. Let such a function end its settings and locks with the transaction, " \
                        "by set_config(..., true), SET LOCAL and pg_advisory_xact_lock, or use these tables and views in session { } alone."
        private_constant :CARRIERS, :NONE, :BY_THEMSELVES, :STATE

        module_function

        # @return [Array<Array(Symbol, String)>] verdicts and sentences
        def findings(patient)
          keepers = STATE.among(patient.db.query(STATE::FUNCTIONS).to_a)
          carriers = patient.db.query(CARRIERS).select { |row| row["source"] && STATE.calls?(row["source"], STATE.names(keepers)) }.map { |row| row["carrier"] }.uniq
          callable = keepers.reject { |row| row["trigger"] }.map { |row| "#{quoted(row["schema"])}.#{quoted(row["name"])}" }.uniq.sort
          found = []
          found.push([:advice, "Functions keep state in their session. Name them: session_functions: #{callable.inspect}"]) unless callable.empty?
          found.push([:advice, format(BY_THEMSELVES, carriers.join(", "))]) unless carriers.empty?
          found.empty? ? [[:fine, NONE]] : found
        end

        def quoted(name) = name.match?(/\A[a-z_][a-z0-9_]*\z/) ? name : %("#{name.gsub('"', '""')}")
        private_class_method :quoted
      end
      private_constant :Functions
    end
  end
end
