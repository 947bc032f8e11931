# frozen_string_literal: true

module Sharing
  # A database in which functions keep state in their session, and every kind of object through which a statement can run one without its text showing
  # it.
  module Keepers
    SETUP = <<~'SQL'
      CREATE FUNCTION keep() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('x.y', 'kept', false); RETURN 1; END $$;
      CREATE FUNCTION same(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('x.y', 'kept', false); RETURN $1; END $$;
      CREATE FUNCTION keeps_too() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM keep(); RETURN coalesce(NEW, OLD); END $$;
      CREATE TABLE audited (id int PRIMARY KEY, v text); INSERT INTO audited VALUES (1, 'one'), (2, 'two'), (3, 'three');
      CREATE TRIGGER audit BEFORE INSERT OR UPDATE OR DELETE ON audited FOR EACH ROW EXECUTE FUNCTION keeps_too();
      CREATE TRIGGER emptied BEFORE TRUNCATE ON audited FOR EACH STATEMENT EXECUTE FUNCTION keeps_too();
      CREATE VIEW of_audited AS SELECT * FROM audited; CREATE VIEW kept AS SELECT keep() AS k; CREATE VIEW of_kept AS SELECT * FROM kept;
      CREATE VIEW known AS SELECT set_config('x.y', 'kept', false) AS k; CREATE VIEW settings AS SELECT * FROM pg_settings;
      CREATE TABLE parent (id int PRIMARY KEY); INSERT INTO parent VALUES (1), (2);
      CREATE TABLE child (id int REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE); INSERT INTO child VALUES (1), (2);
      CREATE TRIGGER audit AFTER DELETE OR UPDATE ON child FOR EACH ROW EXECUTE FUNCTION keeps_too();
      CREATE TABLE plain (a int); CREATE TABLE ruled (a int); CREATE RULE r AS ON INSERT TO ruled DO ALSO SELECT keep();
      CREATE TABLE by_default (a text DEFAULT set_config('x.y', 'kept', false), b int DEFAULT keep());
      CREATE TABLE checked (a int CHECK (a > keep() - 2)); CREATE TABLE indexed (a int); CREATE INDEX ON indexed (same(a));
      CREATE TABLE partly (a int); CREATE INDEX ON partly (a) WHERE same(a) > 0;
      CREATE TABLE generated (a int, b int GENERATED ALWAYS AS (same(a)) STORED);
      CREATE TABLE whole (a int) PARTITION BY LIST (a); CREATE TABLE part PARTITION OF whole DEFAULT;
      CREATE TRIGGER audit AFTER INSERT ON part FOR EACH ROW EXECUTE FUNCTION keeps_too();
      CREATE TABLE cut (a int) PARTITION BY LIST (same(a)); CREATE TABLE cut_part PARTITION OF cut DEFAULT;
      CREATE TABLE guarded (a int); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON guarded USING (keep() = 1);
      ALTER TABLE guarded FORCE ROW LEVEL SECURITY; INSERT INTO guarded VALUES (1);
      CREATE FUNCTION operates(int, int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM keep(); RETURN 1; END $$;
      CREATE OPERATOR ### (leftarg = int, rightarg = int, function = operates);
      CREATE TYPE pair AS (a int, b int); CREATE TABLE pairs (p pair); INSERT INTO pairs VALUES (ROW(1, 2));
      CREATE FUNCTION equals(pair, pair) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN PERFORM keep(); RETURN true; END $$;
      CREATE OPERATOR = (leftarg = pair, rightarg = pair, function = equals);
      CREATE TYPE single AS (a int); CREATE FUNCTION unwrap(single) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM keep(); RETURN 1; END $$;
      CREATE CAST (single AS int) WITH FUNCTION unwrap(single); CREATE FUNCTION a_single() RETURNS single LANGUAGE sql AS 'SELECT ROW(1)::single';
      CREATE DOMAIN positive AS int CHECK (VALUE >= keep()); CREATE TABLE of_domain (a positive);
      CREATE DOMAIN defaulted AS int DEFAULT keep(); CREATE TABLE of_default (a defaulted, b int);
      CREATE FUNCTION adds(int, int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM keep(); RETURN 1; END $$;
      CREATE AGGREGATE gather (int) (sfunc = adds, stype = int, initcond = '0');
      CREATE FUNCTION defaults(a int DEFAULT keep()) RETURNS int LANGUAGE sql AS 'SELECT a';
      CREATE FUNCTION writes() RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE audited SET v = 'x' WHERE id = 1; END $$;
      CREATE FUNCTION empties() RETURNS void LANGUAGE plpgsql AS $$ BEGIN TRUNCATE audited; END $$;
      CREATE FUNCTION reads() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM audited';
      CREATE FUNCTION in_text(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE t; END $$;
      CREATE FUNCTION quotes() RETURNS int LANGUAGE plpgsql AS $$ BEGIN -- it's
        EXECUTE 'SET x.y = ''and then'''; RETURN 1; END $$;
      CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE $q$SELECT 1; SET x.y = 'kept'$q$; RETURN 1; END $$;
      CREATE FUNCTION harmless() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN /* SET x.y = 'a'; */ PERFORM set_config('x.z', 'a', true);
        SELECT id INTO n FROM audited LIMIT 1; UPDATE plain SET a = 1 WHERE a = 0; RAISE NOTICE 'set the table; then wait'; RETURN n; END $$;
      CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$ BEGIN COMMIT; SET x.y = 'kept'; END $$;
    SQL

    # Each of these changes its session.
    KEEPING = [
      "SELECT keep()", "INSERT INTO audited VALUES (4, 'x')", "UPDATE audited SET v = 'y' WHERE id = 1", "DELETE FROM public.audited WHERE id = 2",
      "TRUNCATE audited", "WITH q AS (UPDATE \"audited\" SET v = 'z' RETURNING id) SELECT * FROM q", "UPDATE of_audited SET v = 'w'",
      "MERGE INTO audited a USING (SELECT 1 AS id) s ON a.id = s.id WHEN MATCHED THEN UPDATE SET v = 'm'", "COPY audited FROM PROGRAM 'echo 7,x' (FORMAT csv)",
      "SELECT * FROM kept", "TABLE of_kept", "SELECT (SELECT k FROM known)", "UPDATE settings SET setting = '77' WHERE name = 'work_mem'",
      "DELETE FROM parent WHERE id = 1", "UPDATE parent SET id = 9 WHERE id = 2", "INSERT INTO ruled VALUES (1)", "INSERT INTO by_default DEFAULT VALUES",
      "INSERT INTO checked VALUES (1)", "INSERT INTO indexed VALUES (1)", "INSERT INTO partly VALUES (1)", "INSERT INTO generated VALUES (1)",
      "INSERT INTO whole VALUES (1)", "INSERT INTO part VALUES (1)", "INSERT INTO cut VALUES (1)", "SELECT 1 ### 2", "SELECT 1###2",
      "SELECT 1 OPERATOR(public.###) 2", "SELECT count(*) FROM pairs a JOIN pairs b ON a.p OPERATOR(public.=) b.p", "SELECT ROW(1)::single::int", "SELECT a_single()::int",
      "SELECT 1::positive", "SELECT CAST(1 AS positive)", "INSERT INTO of_domain VALUES (1)", "INSERT INTO of_default (b) VALUES (1)",
      "SELECT gather(1)", "SELECT defaults()", "SELECT writes()", "SELECT empties()", "SELECT in_text('SET x.y = 1')", "SELECT quotes()", "SELECT two()",
      "CALL commits()", "EXPLAIN ANALYZE UPDATE audited SET v = 'e'", "CREATE TABLE made AS SELECT keep() AS a"
    ].freeze
    # As a role that policies bind.
    GUARDED = "SELECT * FROM guarded"
    # None of these does.
    HARMLESS = [
      "SELECT * FROM audited", "SELECT a.v FROM audited a JOIN of_audited b USING (id) FOR UPDATE", "SELECT * FROM audited FOR NO KEY UPDATE",
      "SELECT reads()", "SELECT harmless()", "INSERT INTO plain VALUES (1) ON CONFLICT DO NOTHING", "TABLE child", "SELECT * FROM checked, indexed, generated, whole",
      "SELECT name FROM settings", "COPY audited TO '/dev/null'", "SELECT 'audited; UPDATE'", "COMMENT ON TABLE audited IS 'x'", "SELECT 2 # 3",
      "SELECT * FROM parent", "UPDATE plain SET a = 2", "CREATE TABLE other (a int)"
    ].freeze
  end
end
