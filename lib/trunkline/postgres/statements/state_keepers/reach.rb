# frozen_string_literal: true

require_relative "catalogue"

module Trunkline
  module Postgres
    module StateKeepers
      # The objects of a database through which statements reach given functions and expressions: tables with triggers, defaults, constraints,
      # policies, rules and indexes, views, types with casts and checks, operators, aggregates.
      module Reach # :nodoc:
        # For each reached object, adds those that depend on it, or own it, in the catalogue. written: reached only by statements that write;
        # for_good: the effect lasts as long as the session. A table counts only for itself: statements that read it reach what reading computes, and
        # a view what its table does.
        SCRIPT = <<~SQL.freeze
          #{Catalogue::SETTINGS} WITH RECURSIVE reached (class, object, written, for_good) AS (
            SELECT * FROM (VALUES %<seeds>s) AS seeds (class, object, written, for_good)
            UNION SELECT e.class, e.object, e.written, r.for_good FROM reached r, LATERAL (
              SELECT d.classid, d.objid, CASE WHEN d.classid = 'pg_class'::regclass THEN r.class <> 'pg_type'::regclass ELSE r.written AND r.class = 'pg_class'::regclass END FROM pg_depend d
              WHERE d.refclassid = r.class AND d.refobjid = r.object AND CASE r.class
                WHEN 'pg_class'::regclass THEN d.classid = 'pg_rewrite'::regclass OR (NOT r.written AND d.classid IN ('pg_policy'::regclass, 'pg_type'::regclass))
                WHEN 'pg_type'::regclass THEN d.classid NOT IN ('pg_cast'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass, 'pg_opfamily'::regclass,
                                                                'pg_amop'::regclass, 'pg_amproc'::regclass)
                ELSE true END
              UNION ALL SELECT 'pg_class'::regclass, tgrelid, true FROM pg_trigger WHERE r.class = 'pg_trigger'::regclass AND oid = r.object
              UNION ALL SELECT 'pg_class'::regclass, adrelid, true FROM pg_attrdef WHERE r.class = 'pg_attrdef'::regclass AND oid = r.object
              UNION ALL SELECT 'pg_class'::regclass, conrelid, true FROM pg_constraint WHERE r.class = 'pg_constraint'::regclass AND oid = r.object AND conrelid <> 0
              UNION ALL SELECT 'pg_type'::regclass, contypid, false FROM pg_constraint WHERE r.class = 'pg_constraint'::regclass AND oid = r.object AND contypid <> 0
              UNION ALL SELECT 'pg_class'::regclass, polrelid, false FROM pg_policy WHERE r.class = 'pg_policy'::regclass AND oid = r.object
              UNION ALL SELECT 'pg_class'::regclass, ev_class, r.written OR ev_type <> '1' FROM pg_rewrite WHERE r.class = 'pg_rewrite'::regclass AND oid = r.object
              UNION ALL SELECT 'pg_class'::regclass, indrelid, true FROM pg_index WHERE r.class = 'pg_class'::regclass AND indexrelid = r.object
              UNION ALL SELECT 'pg_class'::regclass, stxrelid, true FROM pg_statistic_ext WHERE r.class = 'pg_statistic_ext'::regclass AND oid = r.object
              UNION ALL SELECT 'pg_class'::regclass, inhparent, r.written FROM pg_inherits WHERE r.class = 'pg_class'::regclass AND inhrelid = r.object
              UNION ALL SELECT 'pg_class'::regclass, confrelid, true FROM pg_constraint
                        WHERE r.class = 'pg_class'::regclass AND conrelid = r.object AND contype = 'f' AND (confupdtype IN ('c', 'n', 'd') OR confdeltype IN ('c', 'n', 'd'))
              UNION ALL SELECT 'pg_type'::regclass, reltype, false FROM pg_class WHERE r.class = 'pg_class'::regclass AND oid = r.object AND relkind = 'c'
              UNION ALL SELECT 'pg_type'::regclass, CASE WHEN castsource >= #{Catalogue::FIRST_OWN} THEN castsource ELSE casttarget END, false
                        FROM pg_cast WHERE r.class = 'pg_cast'::regclass AND oid = r.object
              UNION ALL SELECT 'pg_type'::regclass, operand, false FROM pg_operator, unnest(ARRAY[oprleft, oprright]) AS operand
                        WHERE r.class = 'pg_operator'::regclass AND oid = r.object AND operand >= #{Catalogue::FIRST_OWN}
              UNION ALL SELECT 'pg_opfamily'::regclass, amopfamily, false FROM pg_amop WHERE r.class = 'pg_amop'::regclass AND oid = r.object
              UNION ALL SELECT 'pg_opfamily'::regclass, amprocfamily, false FROM pg_amproc WHERE r.class = 'pg_amproc'::regclass AND oid = r.object
              UNION ALL SELECT 'pg_opclass'::regclass, oid, false FROM pg_opclass WHERE r.class = 'pg_opfamily'::regclass AND opcfamily = r.object
              UNION ALL SELECT 'pg_type'::regclass, opcintype, false FROM pg_opclass
                        WHERE r.class = 'pg_opclass'::regclass AND oid = r.object AND opcdefault AND opcintype >= #{Catalogue::FIRST_OWN}
            ) AS e (class, object, written)
          ), found AS (SELECT class, object, bool_and(written) AS written, bool_or(for_good) AS for_good FROM reached GROUP BY class, object)
          SELECT n.nspname::text AS schema, p.proname::text AS name, 'call' AS by, f.for_good FROM found f JOIN pg_proc p ON p.oid = f.object
          JOIN pg_namespace n ON n.oid = p.pronamespace
          WHERE f.class = 'pg_proc'::regclass AND p.prorettype <> ALL (ARRAY['trigger', 'event_trigger']::regtype[])
          UNION SELECT n.nspname, c.relname, CASE WHEN f.written THEN 'writing' ELSE 'name' END, f.for_good FROM found f JOIN pg_class c ON c.oid = f.object
          JOIN pg_namespace n ON n.oid = c.relnamespace WHERE f.class = 'pg_class'::regclass AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'i', 'I')
          UNION SELECT n.nspname, name, 'name', f.for_good FROM found f JOIN pg_type t ON t.oid = f.object JOIN pg_namespace n ON n.oid = t.typnamespace
          LEFT JOIN pg_type l ON l.oid = t.typelem LEFT JOIN pg_class c ON c.oid = greatest(t.typrelid, l.typrelid), unnest(ARRAY[t.typname::text, split_part(format_type(t.oid, NULL), ' ', 1)]) AS name
          WHERE f.class = 'pg_type'::regclass AND (c.oid IS NULL OR c.relkind = 'c') AND (name = t.typname OR t.oid < #{Catalogue::FIRST_OWN})
          UNION SELECT NULL, o.oprname, 'operator', f.for_good FROM found f JOIN pg_operator o ON o.oid = f.object
          WHERE f.class = 'pg_operator'::regclass AND NOT (greatest(o.oprleft, o.oprright) >= #{Catalogue::FIRST_OWN}
            AND EXISTS (SELECT FROM pg_operator b WHERE b.oprname = o.oprname AND b.oid < #{Catalogue::FIRST_OWN}))
          UNION SELECT NULL, '', 'command', f.for_good FROM found f WHERE f.class = 'pg_event_trigger'::regclass
          ORDER BY 3, 1, 2
        SQL
        private_constant :SCRIPT

        module_function

        # @param seeds [Array<Array(Integer, Integer, Boolean, Boolean)>] classes, objects, written, for_good
        # @return [String] SQL
        def script(seeds)
          rows = seeds.map { |class_id, object, written, for_good| "(#{class_id}::oid, #{object}::oid, #{written}, #{for_good})" }
          format(SCRIPT, seeds: rows.join(", "))
        end
      end
      private_constant :Reach
    end
  end
end
