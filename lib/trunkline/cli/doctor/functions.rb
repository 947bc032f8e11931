# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # Whether functions of the application's own keep state in their session, and what else calls such functions.
      module Functions # :nodoc:
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
        STATE = Postgres.const_get(:StateKeepers)
        NONE = "No function of the database's own is seen to keep state in its session."
        BY_THEMSELVES = "These run functions that keep state, and no SQL shows it: %s. Let such a function end its settings and locks with the transaction " \
                        "(set_config(..., true), SET LOCAL, pg_advisory_xact_lock), or use these tables and views in session { } alone."
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
