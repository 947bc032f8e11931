# frozen_string_literal: true

module Trunkline
  module Postgres
    module StateKeepers
      # Queries of the server's catalogue: scripts, so that their names are resolved under a search_path of their own.
      module Catalogue # :nodoc:
        # Settings that end with the script, which is a transaction.
        SETTINGS = "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), pg_catalog.set_config('statement_timeout', '30s', true), " \
                   "pg_catalog.set_config('jit', 'off', true);" # compiling the queries takes ten times as long as running them
        # OIDs below are the server's own.
        FIRST_OWN = 16_384
        # Its value differs when something was created, changed or dropped that may call functions. Temporary objects count in their own sessions
        # only. One row of numbers: it takes the server 2 ms, or 10 if a database has 1,000 tables, views and functions; all queries below take 20 to
        # 350 ms.
        FINGERPRINT = <<~SQL.freeze
          #{SETTINGS} SELECT #{%w[pg_proc pg_trigger pg_rewrite pg_attrdef pg_constraint pg_policy pg_operator pg_cast pg_event_trigger pg_namespace pg_opclass].map { |name|
            "(SELECT concat(count(*), ' ', sum(xmin::text::bigint)) FROM #{name} WHERE oid >= #{FIRST_OWN})"
          }.join(" || ',' || ")} || ',' ||
          (SELECT concat(count(*), ' ', sum(xmin::text::bigint)) FROM pg_class WHERE oid >= #{FIRST_OWN} AND relpersistence <> 't') || ',' ||
          (SELECT concat(count(*), ' ', sum(xmin::text::bigint)) FROM pg_index WHERE indexrelid >= #{FIRST_OWN}) || ',' ||
          (SELECT concat(count(*), ' ', sum(xmin::text::bigint)) FROM pg_inherits) || ',' ||
          (SELECT concat(count(*), ' ', sum(xmin::text::bigint)) FROM pg_type WHERE oid >= #{FIRST_OWN} AND typrelid = 0 AND typelem = 0)
        SQL
        # Functions whose text is readable and matches %<pattern>s. Those of extensions are excluded. A body of standard SQL, since PostgreSQL 14, has
        # no text.
        FUNCTIONS = <<~SQL.freeze
          #{SETTINGS} SELECT p.oid::bigint AS object, l.lanname::text AS language, coalesce(p.proargnames, '{}') AS parameters, source
          FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang, LATERAL (
            SELECT CASE WHEN p.prosrc = '' THEN pg_get_functiondef(p.oid) ELSE p.prosrc END
                   || CASE WHEN p.pronargdefaults > 0 THEN '; SELECT ' || pg_get_expr(p.proargdefaults, 0) ELSE '' END) AS text (source)
          WHERE p.oid >= #{FIRST_OWN} AND l.lanname NOT IN ('internal', 'c') AND p.prokind IN ('f', 'p', 'w')
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
            AND (l.lanname NOT IN ('plpgsql', 'sql') OR source ~* '%<pattern>s')
          ORDER BY p.oid
        SQL
        # Words that keep state, besides names of functions. SET also occurs in UPDATE, DO in INSERT.
        WORDS = %w[deallocate discard execute hold listen load prepare reset temp temporary unlisten].freeze
        COMMANDS = "(?:\\A|[\\n\\r;]|\\*/|\\m(?:begin|then|else|loop)\\M)\\s*set\\M|\\mdo\\M\\s*(?:language\\M|[''$])|\\mpg_temp|u&\""
        # Expressions that are stored as trees, in which the function's OID shows a call. %<functions>s: a condition for these functions. A view over
        # pg_settings forwards its updates.
        EXPRESSIONS = <<~SQL.freeze
          #{SETTINGS} WITH listed AS MATERIALIZED (
            SELECT format('(funcid|aggfnoid|winfnoid|opfuncid) (%%s)[ }]', string_agg(p.oid::text, '|')) AS pattern,
                   format(':relid %%s[ }]', 'pg_settings'::regclass::oid) AS settings
            FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE %<functions>s
          ), trees (class, object, tree) AS (
            SELECT 'pg_rewrite'::regclass, oid, ev_action::text || ev_qual::text FROM pg_rewrite WHERE ev_class >= #{FIRST_OWN}
            UNION ALL SELECT 'pg_attrdef', oid, adbin::text FROM pg_attrdef WHERE oid >= #{FIRST_OWN}
            UNION ALL SELECT 'pg_constraint', oid, conbin::text FROM pg_constraint WHERE oid >= #{FIRST_OWN} AND conbin IS NOT NULL
            UNION ALL SELECT 'pg_trigger', oid, tgqual::text FROM pg_trigger WHERE tgqual IS NOT NULL
            UNION ALL SELECT 'pg_policy', oid, concat(polqual::text, polwithcheck::text) FROM pg_policy
            UNION ALL SELECT 'pg_class', indexrelid, concat(indexprs::text, indpred::text) FROM pg_index
                      WHERE indexrelid >= #{FIRST_OWN} AND (indexprs IS NOT NULL OR indpred IS NOT NULL)
            UNION ALL SELECT 'pg_class', partrelid, partexprs::text FROM pg_partitioned_table WHERE partexprs IS NOT NULL
            UNION ALL SELECT 'pg_type', oid, typdefaultbin::text FROM pg_type WHERE oid >= #{FIRST_OWN} AND typdefaultbin IS NOT NULL
          )
          SELECT class::oid::bigint AS class, object::bigint AS object, class = 'pg_class'::regclass AS written, tree !~ pattern AS passes_on, CASE class
            WHEN 'pg_rewrite'::regclass THEN pg_get_ruledef(object)
            WHEN 'pg_attrdef'::regclass THEN (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE oid = object)
            WHEN 'pg_constraint'::regclass THEN pg_get_constraintdef(object)
            WHEN 'pg_trigger'::regclass THEN pg_get_triggerdef(object)
            WHEN 'pg_policy'::regclass THEN (SELECT concat_ws(', ', pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) FROM pg_policy WHERE oid = object)
            WHEN 'pg_class'::regclass THEN coalesce(pg_get_partkeydef(object), pg_get_indexdef(object))
            ELSE (SELECT pg_get_expr(typdefaultbin, 0) FROM pg_type WHERE oid = object) END AS source
          FROM trees, listed WHERE tree ~ pattern OR (class = 'pg_rewrite'::regclass AND tree ~ settings) ORDER BY class, object
        SQL
      end
      private_constant :Catalogue
    end
  end
end
