# frozen_string_literal: true

require "suites"
require "bigdecimal"

# Rows into tables by insert.
class InsertingTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  # Types of columns, with values; nil goes into each.
  COLUMNS = {
    "int" => [1, -2], "bigint" => [2**40, 1], "numeric" => [BigDecimal("1.5"), 1], "float8" => [0.5, 1.0], "bool" => [true, false],
    "text" => ["a,\"b\\'", "{NULL}"], "varchar(3)" => %w[abc d], "char(3)" => ["abc", "de "], "bit(3)" => %w[101 000], "varbit(3)" => %w[1 101],
    "bytea" => ["\0\xFF".b, "text".b], "uuid" => %w[a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12],
    "timestamptz" => [Time.at(0), Time.at(1_700_000_000, 5, :usec)], "timestamp" => [Time.utc(2024), Time.utc(2025)], "date" => [Date.new(2024), Date.new(1)],
    "interval" => [Trunkline::Interval.new(days: 1), Trunkline::Interval.new(months: -1)], "time(0)" => [Trunkline::TimeOfDay.new(0), Trunkline::TimeOfDay.new(1_000_000)],
    "jsonb" => [{ "a" => [1, [2]] }, [1, [nil]]], "json" => [[], {}], "int[]" => [[1, nil], [[1, 2], [3, 4]]], "text[]" => [[], ["a,b", nil]],
    "bit(2)[]" => [%w[10 01], []], "jsonb[]" => [[{ "a" => 1 }], []], "int4range" => [1...3, 5...6], "inet" => [IPAddr.new("::1"), IPAddr.new("10.0.0.0/8")]
  }.freeze
  private_constant :COLUMNS

  def test_values_of_each_type
    with_table(COLUMNS.keys.each_with_index.map { |type, at| "c#{at} #{type}" }.join(", ")) do |table|
      in_host_with_client do |db|
        names = COLUMNS.keys.each_index.map { |at| :"c#{at}" }
        rows = [*COLUMNS.values.transpose, COLUMNS.map { nil }]
        2.times do
          result = db.insert(table, rows.map { |row| names.zip(row).to_h }, returning: names)
          assert_equal [rows, 3], [result.rows, result.affected_rows]
          rows.each { |row| assert_equal [row], db.insert(table, names.zip(row).to_h, returning: true).rows }
        end
        assert_equal 12, db.value("SELECT count(*) FROM #{table}")
      end
    end
  end

  def test_values_of_types_of_the_databases_own
    name = "own#{SecureRandom.hex(6)}"
    psql("CREATE TYPE #{name} AS ENUM ('glad', 'sad'); CREATE TYPE #{name}c AS (a int, b text); CREATE DOMAIN #{name}d AS int[];")
    with_table("mood #{name}, pair #{name}c, pairs #{name}c[], list #{name}d") do |table|
      in_host_with_client do |db|
        rows = [{ mood: "glad", pair: { "a" => 1, "b" => "x,y" }, pairs: [{ "a" => 1, "b" => nil }], list: [1, 2] }, { mood: nil, pair: [2, "z"], pairs: [], list: nil }]
        expected = [["glad", { "a" => 1, "b" => "x,y" }, [{ "a" => 1, "b" => nil }], [1, 2]], [nil, { "a" => 2, "b" => "z" }, [], nil]]
        2.times { assert_equal expected, db.insert(table, rows, returning: true).rows }
      end
    end
  ensure
    psql("DROP DOMAIN #{name}d; DROP TYPE #{name}c; DROP TYPE #{name};")
  end

  def test_what_rows_may_be
    row = Struct.new(:id, :name)
    with_table("id int DEFAULT 7, name text") do |table|
      in_host_with_client do |db|
        db.insert(table.to_sym, row.new(1, "a"))
        db.insert(["public", table], [row.new(2, "b"), { "name" => "c", "id" => 3 }.to_a.reverse.to_h.transform_keys(&:to_sym)].each)
        db.insert(table, { "name" => "d" })
        db.insert(table, {})
        assert_equal [[1, "a"], [2, "b"], [3, "c"], [7, "d"], [7, nil]], db.query("SELECT * FROM #{table} ORDER BY id, name").rows
        assert_equal [0, []], [db.insert(table, []).affected_rows, db.insert(table, [], returning: :id).to_a]
        assert_equal row.new(9, nil), db.insert(table, { id: 9 }, returning: %i[id name], as: row).first
      end
    end
  end

  def test_names_are_taken_as_they_are
    in_host_with_client do |db|
      db.transaction do |tx|
        tx.query('CREATE TABLE "Odd ""table" ("a b" int, "C" int)')
        assert_equal [[1, 2], [3, 4]], tx.insert('Odd "table', [{ "a b": 1, C: 2 }, { "a b": 3, C: 4 }], returning: true).rows
        assert_raises(Trunkline::UndefinedTable) { tx.insert("public.none", { a: 1 }) }
        tx.rollback
      end
    end
  end

  def test_what_cannot_be_inserted_is_reported
    with_table("id int, name varchar(3)") do |table|
      in_host_with_client do |db|
        error = assert_raises(ArgumentError) { db.insert(table, [{ id: 1, name: "a" }, { id: 2, nmae: "b" }]) }
        assert_equal "all rows must have the same columns: the first has id, name, and row 2 id, nmae", error.message
        assert_raises(TypeError) { db.insert(table, [[1, "a"]]) }
        assert_raises(Trunkline::StringDataRightTruncation) { db.insert(table, [{ name: "long" }, { name: "a" }]) }
        assert_match(/a value of id/, assert_raises(TypeError) { db.insert(table, [{ id: Object.new }, { id: 1 }]) }.message)
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
      end
    end
  end

  # In a session a name may mean another table, whose columns have other types.
  def test_types_are_those_of_the_session
    with_table("v text") do |table|
      in_host_with_client do |db|
        db.insert(table, [{ v: "a" }, { v: "b" }])
        db.session do |session|
          session.query("CREATE TEMP TABLE #{table} (v jsonb)")
          assert_equal [[["a"]], [nil]], session.insert(table, [{ v: ["a"] }, { v: nil }], returning: true).rows
        end
        assert_equal %w[a b], db.column("SELECT v FROM #{table} ORDER BY 1")
      end
    end
  end

  # The name of a table is that of a type too: of its rows, unless one of pg_catalog, or of a schema that comes first, has the name.
  def test_tables_whose_names_are_types_names
    one, other = Array.new(2) { "s#{SecureRandom.hex(6)}" }
    psql("CREATE SCHEMA #{one}; CREATE SCHEMA #{other}; CREATE TYPE #{one}.kind AS ENUM ('a'); CREATE TABLE #{other}.kind (v int); CREATE TABLE #{other}.line (v int)")
    in_host_with_client do |db|
      scope = db.with(settings: { "search_path" => "#{one}, #{other}" })
      %i[kind line].each do |table|
        2.times { assert_equal 2, scope.insert(table, [{ v: 1 }, { v: 2 }]).affected_rows }
        assert_equal 2, db.insert([other, table], [{ v: 3 }, { v: 4 }]).affected_rows
        assert_equal [1, 2, 1, 2, 3, 4], db.column("SELECT v FROM #{other}.#{table}")
      end
    end
  ensure
    psql("DROP SCHEMA #{one} CASCADE; DROP SCHEMA #{other} CASCADE")
  end

  def test_a_role_that_may_only_insert
    with_table("id int, v text") do |table|
      role = "r#{SecureRandom.hex(6)}"
      psql("CREATE ROLE #{role}; GRANT INSERT ON #{table} TO #{role}")
      in_host_with_client { |db| assert_equal 2, db.insert(table, [{ id: 1, v: "a" }, { id: 2, v: "b" }], role: role).affected_rows }
    ensure
      psql("REVOKE ALL ON #{table} FROM #{role}; DROP ROLE #{role}")
    end
  end

  # What fails as it runs is not run twice.
  def test_an_error_of_a_trigger
    with_table("id int") do |table|
      psql("CREATE SEQUENCE #{table}_runs; CREATE FUNCTION #{table}_fails() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''#{table}_runs''); PERFORM missing_function(); END'; " \
           "CREATE TRIGGER fails BEFORE INSERT ON #{table} EXECUTE FUNCTION #{table}_fails()")
      in_host_with_client do |db|
        assert_raises(Trunkline::UndefinedFunction) { db.insert(table, [{ id: 1 }, { id: 2 }]) }
        assert_equal 1, db.value("SELECT last_value FROM #{table}_runs")
      end
    ensure
      psql("DROP FUNCTION #{table}_fails CASCADE; DROP SEQUENCE #{table}_runs")
    end
  end

  def test_any_number_of_rows_is_one_statement
    with_table("id int, at timestamptz") do |table|
      in_host_with_client(connections: 1) do |db|
        [2, 3, 40_000].each { |count| assert_equal count, db.insert(table, Array.new(count) { |id| { id: id, at: Time.at(id) } }, deadline: 60).affected_rows }
        assert_equal 1, (db.stats[:statements].keys.count { |sql| sql.include?("unnest") && sql.include?(table) })
      end
    end
  end
end
