# frozen_string_literal: true

# Statements that a server refuses, at random: which value or name is wrong, in which kind of statement, and whether it is a parameter.
class FailingStatements
  # Columns of their table, which has a row with id 1.
  COLUMNS = <<~SQL
    id int PRIMARY KEY, name text NOT NULL DEFAULT 'n', code varchar(3), age int CHECK (age > 0), tag text UNIQUE, parent int, small smallint, amount numeric(4,2),
    at timestamptz, uid uuid, doc jsonb, bits bit(3), list int[], span int4range, made int GENERATED ALWAYS AS (1) STORED
  SQL
  # Values that the column refuses: NULL, what cannot be read, what is too long or too large, and what violates a constraint.
  REFUSED = {
    "id" => ["1", nil, "9999999999", "one"], "name" => [nil], "code" => %w[abcd äöüß 日本語文字], "age" => ["-1", "0", "", "1.5", "2147483648"], "tag" => ["taken"],
    "parent" => ["77", "x"], "small" => ["40000", "-32769", "1e9", "\t"], "amount" => ["100", "-99.999", "12,5", "infinity"], "at" => ["2024-13-41", "25:99", "yesterday-ish", "294277-01-01"],
    "uid" => ["zz", "{}", "0"], "doc" => ["{bad", "[1,", "{\"a\": \"\\ud800\"}", "'"], "bits" => %w[1111 012 1], "list" => ["{1,", "{a}", "1", "{{1},{2,3}}"],
    "span" => ["[2,1)", "[1", "(,"], "made" => ["2"]
  }.freeze
  # What fails by itself.
  QUERIES = [
    "SELECT 1/0", "SELECT sqrt(-1)", "SELECT ln(0)", "SELECT 2147483647 + 1", "SELECT 1e308::float8 * 10", "SELECT substring('a', 1, -1)", "SELECT to_date('x', 'YYYY')", "SELECT 'a' ~ '('",
    "SELECT chr(0)", "SELECT (ARRAY[1])[1][1] + 'x'::int", "SELECT max(1) OVER (ORDER BY nothing)", "SELECT sum(sum(1))", "SELECT a FROM THE_TABLE a, THE_TABLE b WHERE id = 1", "SELECT nam FROM THE_TABLE",
    "SELECT name FROM THE_TABL", "SELECT naem(1)", "SELECT lenght('a')", "SELECT name, count(*) FROM THE_TABLE", "SELECT (SELECT generate_series(1, 2))", "SELECT 1 UNION SELECT 'a'::text",
    "SELECT 1 UNION SELECT 1, 2", "SELECT 1 LIMIT -1", "SELECT 1 OFFSET -1", "SELECT CASE WHEN 1 THEN 2 END", "SELECT * FROM generate_series(1, 2) WHERE generate_series(1, 2) = 1", "SELECT count(*) FROM THE_TABLE WHERE count(*) = 1",
    "WITH RECURSIVE r AS (SELECT 1 UNION SELECT * FROM r LIMIT 1) SELECT * FROM s", "TABLE nowhere.nothing", "SELECT nowhere.f()", "SELECT 1::nothing", "SELECT '\\xzz'::bytea", "SELECT decode('x', 'nothing')",
    "SELECT convert_from('\\xff', 'UTF8')", "SELECT jsonb_set('1', '{a}', '1')", "SELECT * FROM json_to_record('{}')", "SELECT xmlparse(DOCUMENT '<a')", "SELECT timestamp '2024-01-01' AT TIME ZONE 'Nowhere/Here'",
    "SELECT interval '1 foo'", "SELECT make_date(2024, 13, 1)", "SELECT power(0, -1)", "SELECT gen_random_uuid() + 1", "SELECT width_bucket(1, 1, 1, 0)", "SELECT current_setting('no.such')",
    "SELECT set_config('work_mem', 'lots', true)", "SELECT pg_read_file('/nowhere')", "SELECT lo_get(1)", "SELECT format('%s')", "SELECT regexp_replace('a', 'a', 'b', 'zz')", "SELECT string_to_array('a', 'b', 'c', 'd')"
  ].freeze
  # Commands.
  COMMANDS = [
    "CREATE TABLE THE_TABLE (id int)", "DROP TABLE nothing", "ALTER TABLE THE_TABLE DROP nothing", "ALTER TABLE THE_TABLE ADD name int", "ALTER TABLE THE_TABLE ALTER name TYPE int", "CREATE INDEX ON THE_TABLE (nothing)",
    "CREATE UNIQUE INDEX ON THE_TABLE ((1/0))", "CREATE VIEW v AS SELECT nothing", "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETRUN 1; END $$", "CREATE FUNCTION f() RETURNS int LANGUAGE nothing AS ''", "CREATE EXTENSION nothing",
    "DROP FUNCTION nothing()", "GRANT SELECT ON THE_TABLE TO nothing", "SET nothing = 1", "SET work_mem = 'lots'", "SHOW nothing", "RESET nothing", "LOCK TABLE nothing", "TRUNCATE nothing", "FETCH 1 FROM nothing", "CLOSE nothing", "EXECUTE nothing",
    "DEALLOCATE nothing", "ROLLBACK TO nothing", "RELEASE nothing", "COMMENT ON TABLE nothing IS ''", "EXPLAIN SELECT nothing", "VACUUM nothing", "CALL nothing()", "DO $$ BEGIN PERFORM 1/0; END $$", "DO LANGUAGE nothing ''", "NOTIFY jobs, '#{"x" * 8001}'", 
    "REFRESH MATERIALIZED VIEW nothing", "ALTER SEQUENCE nothing RESTART", "CLUSTER nothing", "SECURITY LABEL ON TABLE nothing IS ''", "CREATE ROLE postgres", "SET ROLE nothing", "REINDEX TABLE nothing", "CREATE TRIGGER t BEFORE INSERT ON THE_TABLE EXECUTE FUNCTION nothing()"
  ].freeze
  # What only +execute+ takes.
  COPIES = ["COPY nothing TO STDOUT", "COPY THE_TABLE (nothing) FROM STDIN", "COPY (SELECT nothing) TO STDOUT", "COPY THE_TABLE TO STDOUT (FORMAT nothing)"].freeze
  # A condition of each class, some of which have no class of the pg gem's own.
  STATES = %w[P0001 23505 23503 23502 23514 23P01 22001 22003 22012 22P02 40001 40P01 55P03 57014 42501 42601 42P01 42703 0A000 25006 53100 54000 58030 XX000 U0001 99999 P0042 2201E 39004 28000 08006 57P03 3D000 25P02 26000 34000].freeze
  TEXTS = ["plain", "two\nlines", "日本語 with 'quotes' and \"more\"", " spaces ", "tab\there", "x" * 300, "ends with a line\n", "%", "LINE 1: not a position"].freeze
  # Of these, what the row with id 1 has already: to write it there again is no mistake.
  ITS_OWN = [%w[id 1], %w[tag taken]].freeze
  private_constant :ITS_OWN, :REFUSED, :QUERIES, :COMMANDS, :COPIES, :STATES, :TEXTS

  # @param table [String] with COLUMNS
  # @param random [Random]
  def initialize(table, random)
    @table = table
    @random = random
  end

  # @return [Array(String, Array<String, nil>)] a statement, and values for its parameters
  def next
    sql, values = send(%i[row row row changed query command own own][@random.rand(8)])
    [spread(sql.gsub("THE_TABLE", @table)), values]
  end

  # @return [String] a COPY whose data the caller would send or receive
  def next_copy = spread(one(COPIES).gsub("THE_TABLE", @table))

  private

  def one(list) = list[@random.rand(list.size)]

  def refused = one(REFUSED.keys).then { |column| [column, one(REFUSED[column])] }

  def literal(value) = value.nil? ? "NULL" : "'#{value.gsub("'", "''")}'"

  # An INSERT of one row or of several, or one from a query; the wrong value in it or beside it.
  def row
    column, value = refused
    others = column == "id" ? [] : [["id", (@random.rand(1000) + 100).to_s]] # never 77: that row would be its own parent
    columns = [*others.map(&:first), column].join(", ")
    case @random.rand(4)
    when 0 then ["INSERT INTO THE_TABLE (#{columns}) VALUES (#{[*others.map(&:last), "$1"].join(", ")})", [value]]
    when 1 then ["INSERT INTO THE_TABLE (#{columns}) SELECT #{[*others.map(&:last), literal(value)].join(", ")}", []]
    when 2 then ["WITH made AS (INSERT INTO THE_TABLE (#{columns}) VALUES (#{[*others.map(&:last), literal(value)].join(", ")}) RETURNING *) SELECT * FROM made", []]
    else ["INSERT INTO THE_TABLE (#{columns}) VALUES (#{[*others.map(&:last), literal(value)].join(", ")})", []]
    end
  end

  def changed
    column, value = refused
    return row if ITS_OWN.include?([column, value])

    @random.rand(2).zero? ? ["UPDATE THE_TABLE SET #{column} = $1", [value]] : ["UPDATE THE_TABLE SET #{column} = #{literal(value)} WHERE id > 0", []]
  end

  def query = [one(QUERIES), []]
  def command = [one(COMMANDS), []]

  # An error of a function's own, with some of the fields that one may have.
  def own
    fields = { "DETAIL" => one(TEXTS), "HINT" => one(TEXTS), "COLUMN" => "c", "CONSTRAINT" => "k", "DATATYPE" => "d", "TABLE" => "t", "SCHEMA" => "s" }.select { @random.rand(3).zero? }
    using = ["ERRCODE = '#{one(STATES)}'", *fields.map { |name, text| "#{name} = #{literal(text)}" }].join(", ")
    ["DO $body$ BEGIN\n  RAISE EXCEPTION #{literal(one(TEXTS).gsub("%", "%%"))} USING #{using};\nEND $body$", []]
  end

  # Some behind a comment and empty lines.
  def spread(sql)
    case @random.rand(4)
    when 0 then "-- wide: 日本語\n\n  #{sql}"
    when 1 then "/* a comment */ #{sql}"
    else sql
    end
  end
end
