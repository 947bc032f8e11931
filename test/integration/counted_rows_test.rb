# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"

# What a server counts in its tags is what it sends, for every kind of statement that returns rows.
class CountedRowsTest < Trunkline::TestCase
  include DatabaseHelpers

  RELATIONS = <<~SQL
    CREATE TEMP TABLE counted (id int PRIMARY KEY, n int);
    CREATE TEMP TABLE also (n int);
    CREATE TEMP TABLE parts (id int, n int) PARTITION BY LIST (id);
    CREATE TEMP TABLE part_one PARTITION OF parts FOR VALUES IN (1);
    CREATE TEMP TABLE part_two PARTITION OF parts FOR VALUES IN (2);
    CREATE TEMP VIEW changed AS SELECT id, n FROM counted;
    CREATE TEMP VIEW triggered AS SELECT id, n FROM counted;
    CREATE TEMP TABLE odd (n int);
    CREATE FUNCTION pg_temp.only_odd() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN NEW.n % 2 = 1 THEN NEW END; END $$;
    CREATE TRIGGER only_odd BEFORE INSERT OR UPDATE ON odd FOR EACH ROW EXECUTE FUNCTION pg_temp.only_odd();
    CREATE TRIGGER instead INSTEAD OF INSERT ON triggered FOR EACH ROW EXECUTE FUNCTION pg_temp.only_odd();
    CREATE RULE also AS ON INSERT TO counted DO ALSO INSERT INTO also VALUES (NEW.n), (NEW.n);
    CREATE RULE seen AS ON UPDATE TO counted DO ALSO SELECT 1 FROM generate_series(1, 4);
    CREATE RULE inserting AS ON INSERT TO changed DO INSTEAD INSERT INTO counted VALUES (NEW.id, NEW.n) RETURNING id, n;
    CREATE RULE updating AS ON UPDATE TO changed DO INSTEAD DELETE FROM counted WHERE id = OLD.id RETURNING id, n;
    CREATE RULE deleting AS ON DELETE TO changed DO INSTEAD SELECT 7 FROM generate_series(1, 3);
    CREATE PROCEDURE pg_temp.gives(INOUT n int) LANGUAGE plpgsql AS $$ BEGIN n := n + 1; END $$;
    PREPARE selecting AS SELECT generate_series(1, 3);
    PREPARE inserting AS INSERT INTO counted VALUES (100, 1), (101, 2) RETURNING id;
    PREPARE updating AS UPDATE counted SET n = n RETURNING id;
    PREPARE deleting AS DELETE FROM changed;
  SQL
  STATEMENTS = [
    "SELECT generate_series(1, 3)", "SELECT 1 WHERE false", "SELECT FROM generate_series(1, 3)", "VALUES (1), (2)", "TABLE counted",
    "SELECT 1 UNION ALL SELECT 2 LIMIT 1", "SELECT * FROM counted FOR UPDATE", "SELECT 1 INTO TEMP taken FROM generate_series(1, 5)",
    "CREATE TEMP TABLE taken AS SELECT generate_series(1, 5)", "CREATE TEMP TABLE taken AS EXECUTE selecting",
    "INSERT INTO counted VALUES (1, 1), (2, 2), (3, 3) RETURNING id", "INSERT INTO counted VALUES (1, 1), (2, 2)",
    "INSERT INTO odd SELECT generate_series(1, 5) RETURNING n", "INSERT INTO changed VALUES (5, 5), (6, 6) RETURNING id",
    "INSERT INTO triggered SELECT g, g FROM generate_series(1, 5) g RETURNING n", "INSERT INTO changed VALUES (5, 5)",
    "UPDATE counted SET n = n RETURNING id", "UPDATE counted SET n = n", "UPDATE changed SET n = 1", "UPDATE parts SET id = 2 RETURNING id",
    "DELETE FROM counted RETURNING *", "DELETE FROM changed", "WITH d AS (DELETE FROM counted RETURNING id) SELECT * FROM d, generate_series(1, 3)",
    "WITH i AS (INSERT INTO odd VALUES (1), (3) RETURNING n) INSERT INTO also SELECT n FROM i RETURNING n",
    "WITH s AS (SELECT 1) UPDATE parts SET n = 1 FROM s RETURNING id", "EXECUTE selecting", "EXECUTE inserting", "EXECUTE updating", "EXECUTE deleting",
    "EXPLAIN SELECT 1", "EXPLAIN ANALYZE UPDATE counted SET n = n RETURNING id", "EXPLAIN ANALYZE EXECUTE inserting", "SHOW ALL", "SHOW TimeZone",
    "CALL pg_temp.gives(1)", "DECLARE c SCROLL CURSOR FOR SELECT generate_series(1, 9)", "FETCH 3 FROM held", "FETCH ALL FROM held", "FETCH 0 FROM held",
    "FETCH BACKWARD 2 FROM held", "MOVE 2 FROM held", "MOVE ALL FROM held", "SELECT * FROM pg_temp.shown", "TRUNCATE also", ""
  ].freeze
  FILL = "INSERT INTO counted SELECT g, g FROM generate_series(10, 14) g; INSERT INTO parts VALUES (1, 1), (1, 2), (2, 3); " \
         "DECLARE held SCROLL CURSOR FOR SELECT generate_series(1, 7); MOVE 3 FROM held; CREATE TEMP VIEW shown AS SELECT 1 FROM counted"
  private_constant :RELATIONS, :STATEMENTS, :FILL

  # The number of rows of one statement's answer, each time from the same relations.
  def count_of(session)
    count = nil
    session.transaction do |tx|
      tx.execute_script(FILL)
      count = yield(tx).to_a.size
      raise Trunkline::Rollback
    end
    count
  end

  def with_relations(uri, **options)
    Trunkline.postgres(uri, connections: 1, **options) do |db|
      db.session do |session|
        session.execute_script(RELATIONS)
        yield session
      end
    end
  end

  def assert_each_way(session, sql)
    expected = count_of(session) { |tx| tx.query(sql) }
    assert_equal expected, count_of(session) { |tx| tx.query(sql) }, sql
    assert_equal expected, count_of(session) { |tx| tx.stream(sql, chunk: 2) }, "#{sql} as a stream" unless sql.empty?
    assert_equal expected, count_of(session) { |tx| tx.batch { |batch| batch.query("SELECT 1") && batch.query(sql) }.last }, "#{sql} in a batch"
    assert_equal 1, count_of(session) { |tx| tx.execute_script("SELECT 1; #{sql}; SELECT 2").last }, "#{sql} in a script"
  end

  def test_kinds_of_statements
    with_relations(postgres_server.uri) { |session| STATEMENTS.each { |sql| assert_each_way(session, sql) } }
  end
end
