# frozen_string_literal: true

module Sharing
  # Random statements that call a function which keeps state: in each notation of a call in SQL, within expressions, within queries, within statements
  # of all kinds. Only a server can tell whether one leaves something behind.
  #
  #   Calls.new(Random.new(1)).statement                 # => "SELECT coalesce(\"set_config\" ('x.y', 'leaked', false), 'x')"
  class Calls
    # Objects that the statements use. keeper takes text, or a row of the table r; pinned is the user's own function in session_functions.
    SETUP = <<~SQL
      CREATE TABLE r (id int PRIMARY KEY, v text); INSERT INTO r VALUES (1, 'one'), (2, 'two'); CREATE TABLE listed (v text) PARTITION BY LIST (v);
      CREATE FUNCTION keep(v text DEFAULT '') RETURNS text LANGUAGE sql AS $$ SELECT set_config('x.y', 'leaked', false) $$;
      CREATE FUNCTION keep_row(r) RETURNS text LANGUAGE sql AS $$ SELECT set_config('x.y', 'leaked', false) $$;
      CREATE FUNCTION keep_all(VARIADIC v text[]) RETURNS text LANGUAGE sql AS $$ SELECT set_config('x.y', 'leaked', false) $$;
      CREATE PROCEDURE take(v text) LANGUAGE plpgsql AS $$ BEGIN PERFORM v; END $$;
    SQL
    # Run before each statement: a default or a constraint of an earlier one would be evaluated by later ones.
    RENEWAL = "DROP TABLE IF EXISTS altered; CREATE TABLE altered (id int PRIMARY KEY, v text); INSERT INTO altered TABLE r"
    OWN = %w[keep keep_row keep_all].freeze

    NAMES = ["set_config", "pg_catalog.set_config", "\"set_config\"", "SET_CONFIG ", "pg_catalog . \"set_config\" ", "set_config/* ( */",
             "U&\"set\\005Fconfig\"", "U&\"set!005Fconfig\" UESCAPE '!'", "set_config -- )\n", "postgres.pg_catalog.set_config"].freeze
    # The last ones end with the transaction, or seem to.
    ARGUMENTS = ["'x.y', 'leaked', false", "'x.y', 'leaked', 'f'", "'x.y', 'leaked', NOT true", "'x.y', 'leaked', (1 = 2)",
                 "is_local => false, new_value => 'leaked', setting_name => 'x.y'", "'x.y', is_local => false, new_value => 'true'",
                 "'x.y', 'leaked', is_local := false", "'x.y', E'lea\\'ked', false", "'x.y', 'leaked, true', false /*, true*/",
                 "$$x.y$$, $a$, true)$a$, false", "'x.y', 'leaked', true AND false", "'x.y', 'leaked', true IS NULL",
                 "'x.y', 'leaked', true", "'x.y', 'a', true"].freeze
    SOURCES = ["generate_series(4711::bigint, 4711)", "unnest(ARRAY[4711::bigint])", "abs(4711::bigint)", "CAST(4711 AS bigint)",
               "pg_catalog.abs(4711::bigint)", "ROWS FROM (abs(4711::bigint))", "coalesce(4711::bigint, 1)", "LATERAL abs(4711::bigint)",
               "\"abs\"(4711::bigint)", "nullif(4711::bigint, 1)", "greatest(1, 4711::bigint)"].freeze
    LOCKS = %w[pg_advisory_lock pg_try_advisory_lock "pg_advisory_lock" PG_ADVISORY_LOCK U&"pg_advisory\005Flock"].freeze
    # A call within an expression; %s is one.
    EXPRESSIONS = [
      "coalesce(%s, 'x')", "CASE WHEN true THEN %s END", "CASE %s WHEN 'x' THEN 'y' END", "(%s)", "(SELECT %s)", "(ARRAY[%s])[1]", "%s || 'x'",
      "upper(%s)", "CAST(%s AS text)", "(%s)::text", "nullif(%s, '')", "(VALUES (%s))", "(WITH q AS (SELECT %s AS v) SELECT v FROM q)",
      "(WITH q (v) AS MATERIALIZED (SELECT %s) SELECT q.v FROM q)", "(SELECT max(%s))", "(SELECT string_agg(%s, ',' ORDER BY 1))",
      "(SELECT count(*) FILTER (WHERE %s IS NOT NULL))::text", "(SELECT %s FROM generate_series(1, 2) LIMIT 1)",
      "(SELECT first_value(%s) OVER () FROM r LIMIT 1)", "(SELECT v FROM (SELECT %s AS v) s)", "(SELECT v FROM (VALUES (%s)) s (v))",
      "(SELECT v FROM ROWS FROM (unnest(ARRAY[%s])) AS u (v))", "(SELECT 'x' FROM r WHERE %s IS NOT NULL LIMIT 1)",
      "(SELECT v FROM r ORDER BY %s LIMIT 1)", "(SELECT max(v) FROM r GROUP BY %s)", "(SELECT max(v) FROM r HAVING %s IS NOT NULL)",
      "(SELECT DISTINCT ON (%s) v FROM r LIMIT 1)", "(SELECT v FROM r LIMIT length(%s) - length('leaked') + 1)", "concat(VARIADIC ARRAY[%s])",
      "format('%%s', %s)", "(SELECT (ROW(%s)).f1)", "xmlelement(name a, %s)::text", "json_build_object('a', %s)::text", "(%s IN ('x'))::text",
      "EXISTS (SELECT %s)::text", "(%s COLLATE \"C\")", "(%s IS DISTINCT FROM 'x')::text", "trim(BOTH 'x' FROM %s)", "position(%s IN 'x')::text",
      "set_config('app.z', %s, true)", "set_config('app.z', 'a', %s IS NOT NULL)", "set_config('app.z' || %s, 'b', true)",
      "ts_rewrite('a'::tsquery, 'a'::tsquery, plainto_tsquery(%s))::text", "(SELECT %s UNION ALL SELECT 'x' LIMIT 1)",
      "(SELECT a.v FROM r a JOIN r b ON %s IS NOT NULL LIMIT 1)", "substring(%s FROM 1 FOR 2)", "(%s LIKE 'x')::text", "overlay(%s PLACING 'x' FROM 1)",
      "(SELECT s.v FROM r, LATERAL (SELECT %s) s (v) LIMIT 1)", "(%s AT TIME ZONE 'UTC')", "lower(upper(%s))", "(SELECT lead(%s) OVER w FROM r WINDOW w AS (ORDER BY id) LIMIT 1)"
    ].freeze
    # %<name>s has not been used before.
    STATEMENTS = [
      "SELECT %<call>s", "VALUES (%<call>s)", "(SELECT %<call>s)", "TABLE r UNION ALL SELECT 1, %<call>s", "WITH q AS (SELECT %<call>s) SELECT * FROM q",
      "SELECT * FROM r WHERE v = %<call>s", "SELECT * FROM unnest(ARRAY[%<call>s]) AS u", "INSERT INTO r (id, v) VALUES (nextval('serial'), %<call>s)",
      "INSERT INTO r SELECT nextval('serial'), %<call>s", "INSERT INTO r VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET v = %<call>s",
      "INSERT INTO r VALUES (nextval('serial'), 'x') RETURNING %<call>s", "UPDATE r SET v = %<call>s", "UPDATE r SET v = 'x' WHERE id = 1 RETURNING %<call>s",
      "UPDATE r SET v = s.v FROM (SELECT %<call>s AS v) s", "DELETE FROM r WHERE id = 0 OR v = %<call>s", "DELETE FROM r USING unnest(ARRAY[%<call>s]) u WHERE r.v = u",
      "MERGE INTO r USING (SELECT %<call>s AS v) s ON r.v = s.v WHEN NOT MATCHED THEN DO NOTHING",
      "MERGE INTO r USING (SELECT 1 AS id) s ON r.id = s.id WHEN MATCHED THEN UPDATE SET v = %<call>s",
      "WITH q AS (UPDATE r SET v = %<call>s RETURNING v) SELECT count(*) FROM q", "EXPLAIN ANALYZE SELECT %<call>s", "EXPLAIN SELECT %<call>s",
      "EXPLAIN (ANALYZE, TIMING off) VALUES (%<call>s)", "EXPLAIN (COSTS off, \"analyze\") SELECT %<call>s", "EXPLAIN VERBOSE UPDATE r SET v = %<call>s",
      "CREATE TABLE %<name>s AS SELECT %<call>s AS v", "CREATE TABLE %<name>s (v) AS VALUES (%<call>s)", "SELECT %<call>s AS v INTO %<name>s",
      "CREATE MATERIALIZED VIEW %<name>s (v) AS SELECT %<call>s", "CREATE VIEW %<name>s AS SELECT %<call>s AS v", "CREATE TABLE %<name>s (v text DEFAULT %<call>s)",
      "CREATE TABLE %<name>s (v text DEFAULT %<call>s CHECK (v <> 'z'), id int)", "ALTER TABLE altered ADD COLUMN %<name>s text DEFAULT %<call>s",
      "ALTER TABLE altered ADD COLUMN %<name>s int REFERENCES altered (id) ON DELETE SET DEFAULT DEFAULT length(%<call>s) - length('leaked') + 1",
      "ALTER TABLE altered ALTER COLUMN v SET DEFAULT %<call>s", "ALTER TABLE altered ALTER v SET DEFAULT 'x', ADD COLUMN %<name>s text DEFAULT %<call>s",
      "ALTER TABLE altered ALTER COLUMN v TYPE text USING %<call>s", "ALTER TABLE altered ADD CONSTRAINT %<name>s CHECK (v = 'x' OR %<call>s IS NOT NULL)",
      "CREATE TABLE %<name>s PARTITION OF listed FOR VALUES IN (%<call>s || '%<name>s')", "COPY (SELECT %<call>s) TO '/dev/null'", "CALL take(%<call>s)",
      "CREATE TABLE %<name>s AS WITH q AS (INSERT INTO r DEFAULT VALUES RETURNING %<call>s) SELECT * FROM q",
      "CREATE TABLE %<name>s AS WITH q AS (UPDATE r SET v = DEFAULT WHERE %<call>s IS NOT NULL RETURNING 1) SELECT * FROM q",
      "SELECT * FROM r TABLESAMPLE bernoulli (length(%<call>s))", "CREATE DOMAIN %<name>s AS text DEFAULT %<call>s", "SELECT 1 AS a OFFSET length(%<call>s) - length('leaked')",
      "COPY r FROM '/dev/null' WHERE v = %<call>s", "CREATE POLICY %<name>s ON altered USING (v = %<call>s)", "CREATE INDEX %<name>s ON altered ((%<call>s))"
    ].freeze
    BLANKS = ["", "/* SELECT 1 */ ", "-- '\n", ";", "\t"].freeze
    DEEPEST = 4
    private_constant :NAMES, :ARGUMENTS, :SOURCES, :LOCKS, :EXPRESSIONS, :STATEMENTS, :BLANKS, :DEEPEST

    # @param random [Random]
    def initialize(random)
      @random = random
      @made = 0
    end

    # @return [String]
    def statement
      call = @random.rand(DEEPEST + 1).times.inject(leaf) { |inner, _| format(one(EXPRESSIONS), inner) }
      "#{one(BLANKS)}#{format(one(STATEMENTS), call: call, name: "made_#{@made += 1}")}"
    end

    private

    def one(list) = list.sample(random: @random)

    def leaf
      case @random.rand(4)
      when 0, 1 then "#{one(NAMES)}(#{one(ARGUMENTS)})"
      when 2 then lock
      else one(["keep()", "public.keep('a')", "\"keep\"(v => 'a')", "keep_all('a', 'b')", "keep_all(VARIADIC ARRAY['a'])", "(SELECT r.keep_row FROM r LIMIT 1)",
                "(SELECT (r).keep_row FROM r LIMIT 1)", "(SELECT keep_row(r) FROM r LIMIT 1)", "('a'::text).keep", "(SELECT k.keep FROM upper('a') k)"])
      end
    end

    # Calls by attribute notation, of a value or of a function's alias in FROM.
    def lock
      name = one(LOCKS)
      case @random.rand(5)
      when 0 then "#{name}(4711)::text"
      when 1 then "(4711::bigint).#{name}::text"
      when 2 then "(SELECT abs.#{name}::text FROM #{one(["", "pg_catalog."])}abs(4711::bigint))"
      when 3 then "(SELECT int8.#{name}::text FROM CAST(4711 AS bigint))"
      else "(SELECT k.#{name}::text FROM #{one(["", "r, ", "r JOIN ", "(SELECT 1) AS k2, "])}#{one(SOURCES)} #{one(["", "AS "])}k#{one(["", " (a)"])} LIMIT 1)"
           .then { |text| text.include?("JOIN") ? text.sub(" LIMIT 1)", " ON true LIMIT 1)") : text }
      end
    end
  end
end
