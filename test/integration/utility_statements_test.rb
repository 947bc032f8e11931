# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"

# Statements whose columns the server does not compare with those that it has described before: whatever stands behind the same words now
# comes out as it would in a script, which tells its columns each time.
class UtilityStatementsTest < Trunkline::TestCase
  include DatabaseHelpers

  # Of as many columns of other types, and of other numbers of columns.
  COLUMNS = ["5::int8 AS x", "1.5::float8 AS x", "'2000-01-02'::timestamp AS x", "NULL::int AS x", "'a'::text AS x", "'{1,2}'::int[] AS x",
             "1::int2 AS a, true AS b", "'(1,x)'::utility_pair AS x", "7::utility_positive AS x", "'{1,2}'::utility_positive[] AS x",
             "'b'::utility_mood AS x", "'[1,5)'::int4range AS x", "1.25::numeric AS x, NULL AS y", "ROW(1, 'a') AS x", "'{\"a\":1}'::jsonb AS x"].freeze
  TYPES = <<~SQL
    CREATE TYPE utility_pair AS (a int, b text);
    CREATE DOMAIN utility_positive AS int CHECK (VALUE > 0);
    CREATE TYPE utility_mood AS ENUM ('a', 'b');
  SQL
  DROP = "DROP TYPE IF EXISTS utility_pair, utility_positive, utility_mood CASCADE"
  private_constant :COLUMNS, :TYPES, :DROP

  def setup
    super
    @db = Trunkline.postgres(postgres_server.uri, connections: 1, max_connections: 2)
    @db.execute_script("#{DROP}; #{TYPES}")
  end

  def teardown
    @db.execute_script(DROP)
    @db.close
    super
  end

  # What the caller gets is what a script gets, and the same once more.
  def assert_as_in_a_script(session, sql)
    expected = session.execute_script(sql).last
    2.times do
      actual = session.query(sql)
      assert_equal [expected.columns, expected.to_a], [actual.columns, actual.to_a], sql
    end
  end

  # In a random order, so that each follows any other.
  def each_shape(&block) = (COLUMNS + COLUMNS).shuffle(random: Random.new(Minitest.seed)).each(&block)

  def test_cursors_of_one_name
    @db.session do |session|
      each_shape do |columns|
        session.transaction do |tx|
          tx.query("DECLARE c SCROLL CURSOR FOR SELECT #{columns} FROM generate_series(1, 3)")
          ["FETCH FIRST FROM c", "FETCH ABSOLUTE 2 FROM c", "FETCH ABSOLUTE 0 FROM c"].each { |sql| assert_as_in_a_script(tx, sql) }
          assert_equal 3, tx.query("MOVE ALL FROM c").affected_rows
        end
      end
    end
  end

  def test_cursors_of_other_shapes_in_other_transactions
    each_shape do |columns|
      @db.transaction do |tx|
        tx.query("DECLARE c CURSOR FOR SELECT #{columns}")
        assert_equal tx.query("SELECT #{columns}").to_a, tx.query("FETCH ALL FROM c").to_a, columns
      end
    end
  end

  def test_prepared_statements_of_one_name
    @db.session do |session|
      each_shape do |columns|
        session.execute_script("PREPARE p AS SELECT #{columns}")
        ["EXECUTE p", "EXPLAIN (COSTS OFF) EXECUTE p"].each { |sql| assert_as_in_a_script(session, sql) }
        session.execute_script("DEALLOCATE p")
      end
    end
  end

  def test_procedures_of_one_name
    [%w[int 5], %w[float8 1.5], %w[text 'a'], %w[int[] '{1,2}'], %w[timestamp '2000-01-02']].each do |type, value|
      @db.execute_script("CREATE PROCEDURE utility_out(INOUT x #{type}) LANGUAGE plpgsql AS $$ BEGIN x := #{value}; END $$")
      expected = @db.query("SELECT (#{value})::#{type} AS x").to_a
      2.times { assert_equal expected, @db.query("CALL utility_out(NULL)").to_a, type }
      @db.execute_script("DROP PROCEDURE utility_out")
    end
  ensure
    @db.execute_script("DROP PROCEDURE IF EXISTS utility_out")
  end

  def test_refcursors
    @db.execute_script(<<~SQL)
      CREATE FUNCTION utility_opened(sql text) RETURNS refcursor LANGUAGE plpgsql AS
        $$ DECLARE c refcursor := 'opened'; BEGIN OPEN c FOR EXECUTE sql; RETURN c; END $$
    SQL
    @db.session do |session|
      each_shape do |columns|
        session.transaction do |tx|
          assert_equal "opened", tx.value("SELECT utility_opened($1)", "SELECT #{columns}")
          assert_equal tx.query("SELECT #{columns}").to_a, tx.query("FETCH ALL FROM opened").to_a, columns
        end
      end
    end
  ensure
    @db.execute_script("DROP FUNCTION utility_opened")
  end

  def test_settings_and_plans
    @db.session do |session|
      ["SHOW TimeZone", "SHOW search_path", "SHOW work_mem", "EXPLAIN (COSTS OFF) SELECT 1", "EXPLAIN (COSTS OFF, FORMAT json) SELECT 1", ""].each do |sql|
        assert_as_in_a_script(session, sql) unless sql.empty?
      end
    end
    assert_equal [], @db.query("").to_a
  end

  # The same call, after the function was made anew with other columns, and of a record whose columns the text of the call does not tell.
  def test_functions_that_return_records
    @db.execute_script("CREATE FUNCTION utility_any(sql text) RETURNS record LANGUAGE plpgsql AS 'DECLARE one record; BEGIN EXECUTE sql INTO one; RETURN one; END'")
    each_shape do |columns|
      next if columns.start_with?("ROW") # which no view may have

      @db.execute_script("CREATE VIEW utility_shown AS SELECT #{columns}; CREATE FUNCTION utility_made() RETURNS SETOF utility_shown LANGUAGE sql AS 'SELECT * FROM utility_shown'")
      ["SELECT * FROM utility_made()", "SELECT utility_made()", "SELECT utility_any('SELECT * FROM utility_shown')", "TABLE utility_shown"].each do |sql|
        2.times { assert_equal @db.execute_script(sql).last.to_a, @db.query(sql).to_a, "#{sql} of #{columns}" }
      end
      assert_equal @db.query("TABLE utility_shown").rows, [].tap { |rows| @db.copy_out("COPY (TABLE utility_shown) TO STDOUT") { |row| rows << row } }, columns
      @db.execute_script("DROP FUNCTION utility_made; DROP VIEW utility_shown")
    end
  ensure
    @db.execute_script("DROP FUNCTION IF EXISTS utility_any; DROP VIEW IF EXISTS utility_shown CASCADE")
  end

  # "$user" in search_path is the role's own schema.
  def test_names_that_depend_on_the_role
    roles = { "utility_one" => ["int8", 5], "utility_two" => ["float8", 1.5], "utility_three" => ["text", "a"] }
    roles.each { |role, (type, value)| @db.execute_script("CREATE ROLE #{role}; CREATE SCHEMA AUTHORIZATION #{role} CREATE TABLE v (x #{type}); INSERT INTO #{role}.v VALUES ('#{value}'); GRANT ALL ON #{role}.v TO #{role}") }
    ask = ->(asked) { asked.query("SELECT x FROM v WHERE x = x").rows }
    2.times do
      roles.each { |role, (_, value)| assert_equal [[value]], ask.call(@db.with(role: role)), role }
      @db.session { |session| roles.each { |role, (_, value)| assert_equal [[value]], session.query("SET ROLE #{role}") && ask.call(session), role } }
      @db.transaction { |tx| roles.each { |role, (_, value)| assert_equal [[value]], tx.query("SET LOCAL ROLE #{role}") && ask.call(tx), role } }
    end
  ensure
    roles.each_key { |role| @db.execute_script("DROP SCHEMA IF EXISTS #{role} CASCADE; DROP ROLE IF EXISTS #{role}") }
  end

  # Whatever comes behind it goes on: it is the same connection.
  def test_pipelined_and_streamed
    @db.session do |session|
      ["5::int8", "1.5::float8", "'a'::text"].each do |expression|
        session.execute_script("PREPARE p AS SELECT #{expression} AS x FROM generate_series(1, 5)")
        expected = session.query("SELECT #{expression} AS x FROM generate_series(1, 5)").to_a
        assert_equal expected, session.stream("EXECUTE p", chunk: 2).to_a
        session.transaction { |tx| assert_equal expected, tx.stream("EXECUTE p", chunk: 2).to_a }
        results = session.batch { |batch| 3.times { batch.query("EXECUTE p") } }
        assert_equal [expected] * 3, results.map(&:to_a)
        session.execute_script("DEALLOCATE p")
      end
    end
  end

  # A rule adds queries of its own to a statement; a script tells the columns of each.
  def test_queries_that_a_rule_adds
    @db.session do |session|
      session.execute_script("CREATE TEMP TABLE ruled (n int); CREATE RULE more AS ON INSERT TO ruled DO ALSO (SELECT 1 AS a; SELECT 'x' AS b, 2 AS c)")
      results = session.execute_script("INSERT INTO ruled VALUES (1); SELECT count(*) FROM ruled")
      assert_equal [[{ "a" => 1 }], [{ "b" => "x", "c" => 2 }], [{ "count" => 1 }]], results.map(&:to_a)
      assert_equal 1, session.query("INSERT INTO ruled VALUES (2)").affected_rows
    end
  end
end
