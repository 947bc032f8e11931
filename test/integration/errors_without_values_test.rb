# frozen_string_literal: true

require "suites"

# With errors: :without_values no error tells a value, be it a parameter's, a row's or a literal's. The server's words alone do.
class ErrorsWithoutValuesTest < Trunkline::TestCase
  include DatabaseHelpers

  VALUE = "hunter2"
  NUMBER = 471_142_997
  COLUMNS = "id int PRIMARY KEY, name text UNIQUE, code varchar(3), age smallint CHECK (age < 100), mood int NOT NULL DEFAULT 1, EXCLUDE (code WITH =)"
  # Types whose input fails with any text.
  TYPES = %w[
    int2 int4 int8 float4 float8 numeric bool date time timetz timestamp timestamptz interval uuid inet cidr macaddr json jsonb point box path
    polygon circle lseg line bit varbit int4range tstzrange int[] text[] money oid regclass regtype regproc tsquery xml pg_lsn tid xid txid_snapshot
    jsonpath
  ].freeze
  FAILURES = [
    ["INSERT INTO THE_TABLE (id, name) VALUES ($1, $2)", 2, VALUE], ["INSERT INTO THE_TABLE (id, age) VALUES ($1, 2000)", NUMBER],
    ["INSERT INTO THE_TABLE (id, name, mood) VALUES (3, $1, NULL)", VALUE], ["INSERT INTO THE_TABLE (id, code) VALUES (4, $1)", VALUE],
    ["INSERT INTO THE_TABLE (id, code) VALUES ($1, 'abc')", NUMBER], ["INSERT INTO THE_TABLE (id, age) VALUES (5, $1::int)", NUMBER],
    ["SELECT * FROM THE_TABLE WHERE name = 'hunter2' AND nowhere"], ["SELECT 'hunter2' FROM"], ["SELECT 'hunter2"], ["SELECT nowhere WHERE 471142997 = 1"],
    ["SELECT \"hunter2\" FROM THE_TABLE WHERE 'x' = \"hunter2\".\"y\"", false], ["SELECT 'x', hunter2"], ["SELECT 471142997::text::int2"],
    ["SELECT 'a\"hunter2\"b'::int"], ["SELECT $1::int", "a\" hunter2 \"b"], ["SELECT $1::int", "a\"\nhunter2\"b"], ["SELECT to_date($1, 'YYYY-MM-DD')", VALUE],
    ["SELECT to_timestamp($1, 'hunter2')", "2024"], ["SELECT regexp_match('x', $1)", "hunter2("], ["SELECT decode($1, 'hex')", VALUE], ["SELECT set_config($1, 'x', true)", VALUE],
    ["SELECT '{\"hunter2\": }'::json"], ["SELECT now() AT TIME ZONE $1", VALUE], ["SELECT $1::text::int", VALUE], ["SELECT format($1, 1)", "%hunter2"],
    ["SELECT jsonb_path_query('{}', 'strict $.hunter2')"], ["SELECT date_part($1, now())", VALUE], ["SELECT power(471142997, 471142997)::int"], ["SELECT $1::int2", NUMBER],
    ["DO $$ BEGIN RAISE EXCEPTION '%', 'hunter2' USING DETAIL = 'hunter2', HINT = 'hunter2', COLUMN = 'hunter2'; END $$"],
    ["DO $$ BEGIN RAISE unique_violation USING MESSAGE = 'hunter2'; END $$"], ["DO $$ BEGIN ASSERT false, 'hunter2'; END $$"],
    ["DO $$ BEGIN EXECUTE 'SELECT ''hunter2'', nowhere'; END $$"], ["DO $$ DECLARE x int := 'hunter2'; BEGIN END $$"]
  ].freeze
  private_constant :VALUE, :NUMBER, :COLUMNS, :TYPES, :FAILURES

  def test_no_value_is_reported
    with_table(COLUMNS) do |table|
      psql("INSERT INTO #{table} (id, name, code) VALUES (1, '#{VALUE}', 'abc')")
      in_silence do |db|
        told = statements(table).count { |sql, *parameters| assert_no_value(sql) { db.session { |session| session.query(sql, *parameters) } } }
        assert_operator told, :>, 120, "statements that fail"
        assert_no_value("COPY") { db.copy_in("COPY #{table} FROM STDIN") { |copy| copy << "#{VALUE}\n" } }
        assert_no_value("COPY") { db.copy_in("COPY #{table} (id) FROM STDIN") { |copy| copy << "#{VALUE}\n" } }
      end
    end
  end

  def test_names_are_reported_all_the_same
    with_table(COLUMNS) do |table|
      psql("INSERT INTO #{table} (id, name) VALUES (1, '#{VALUE}')")
      in_silence do |db|
        error = assert_raises(Trunkline::UniqueViolation) { db.query("INSERT INTO #{table} (id, name) VALUES ($1, $2)", 2, VALUE) }
        assert_match(/\Aduplicate key value violates unique constraint "#{table}_name_key" \(SQLSTATE 23505; .*VALUES \(\$1, \$2\)\)\z/, error.message)
        assert_equal [nil, "#{table}_name_key"], [error.detail, error.constraint]
        # Ruby itself adds the class since 3.2.
        error = assert_raises(Trunkline::UndefinedColumn) { db.query("SELECT nam FROM #{table} WHERE id = $1 OR id = 7 OR name = '#{VALUE}'", 1) }
        assert_match(/\Acolumn "nam" does not exist .*SQL: SELECT nam FROM #{table} WHERE id = \$1 OR id = \*\*\*\)(?: \(Trunkline::UndefinedColumn\))?\nLINE 1: SELECT nam .* OR id = \*\*\*\n +\^\nHINT: /, error.detailed_message)
        assert_match(/\Asyntax error at or near "\*\*\*" /, assert_raises(Trunkline::SyntaxError) { db.query("SELECT 1 '#{VALUE}' 2") }.message)
      end
    end
  end

  def test_a_word_that_is_no_choice
    error = assert_raises(ArgumentError) { Trunkline.postgres(postgres_server.uri, errors: :short) }
    assert_equal "errors must be :with_values or :without_values, not :short", error.message
  end

  private

  def in_silence(&block) = Trunkline.postgres(postgres_server.uri, errors: :without_values, &block)

  def statements(table)
    FAILURES.map { |sql, *parameters| [sql.gsub("THE_TABLE", table), *parameters] unless parameters == [false] }.compact +
      TYPES.flat_map { |type| [["SELECT $1::#{type}", VALUE], ["SELECT '#{VALUE}'::#{type}"], ["SELECT $1::text::#{type}", VALUE]] }
  end

  def assert_no_value(sql)
    yield
    false
  rescue Trunkline::Error => error
    told = [error.full_message(highlight: false), error.sql, error.fields.to_s, error.report].join("\n").lines.reject { |line| line.start_with?(__FILE__) || line.include?("in `") }
    refute_match(/#{VALUE}|#{NUMBER}/, told.join, sql)
    true
  end
end
