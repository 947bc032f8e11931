# frozen_string_literal: true

require "suites"
require "support/own_types"
require "bigdecimal"

# Values to the server and back: the first and the later executions store and return the same.
class TypesTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  # Ruby values by the column types that they are stored in, with what comes back.
  STORED = {
    "bool" => [true, false, nil, "t"], "int2" => [0, -32_768, 32_767, "7"], "int4" => [0, -2**31, (2**31) - 1, 7.0, "8", 9r],
    "int8" => [0, -2**63, (2**63) - 1, 2**62, "5", BigDecimal("6")], "oid" => [0, 2**32 - 1, "3"],
    "float4" => [1.5, 0.1, 1, "2.5", Float::INFINITY], "float8" => [1.5, 0.1, -0.0, 5.0e-324, 1, 10**20, 1r, BigDecimal("2.5"), "1e5", -Float::INFINITY],
    "numeric" => [1, -1.5, 0.1, 10**40, BigDecimal("1e-30"), 1/3r, "12.50", Float::NAN],
    "text" => ["", "ü", "a'b\"c\\d\n", :symbol, 1, 1.5, true, Date.new(2024, 2, 29), BigDecimal("1.50"), 1.0e20, "x" * 100_000],
    "varchar(10)" => ["abc", 5], "char(5)" => ["abc"], "name" => ["n"],
    "bytea" => ["\0\xFF\\101".b, "".b, "text", "ü"],
    "uuid" => ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
    "date" => [Date.new(2024, 2, 29), Date.new(-43, 3, 15), "2024-01-01", Time.utc(2024, 5, 6, 7), DateTime.new(2024, 5, 6, 23)],
    "time" => [Trunkline::TimeOfDay.new(45_296_789_000), "01:02:03", Time.utc(2024, 5, 6, 7, 8, 9)],
    "timestamp" => [Time.utc(2024, 2, 29, 1, 2, 3.5r), Date.new(2024, 2, 29), DateTime.new(2024, 2, 29, 1, 2, 3), "2024-01-01 00:00"],
    "timestamptz" => [Time.utc(2024, 2, 29, 1, 2, 3.5r), Time.new(2024, 2, 29, 1, 2, 3, "+05:30"), DateTime.new(2024, 2, 29, 1, 2, 3, "+2")],
    "interval" => [Trunkline::Interval.new(months: 1, days: -2, microseconds: 3_000_000), "1 day"],
    "json" => [{ "a" => [1, nil] }, [1, "2"], "{}", 1, true], "jsonb" => [{ "a" => { "b" => "ü" } }, [], "null", 1.5],
    "inet" => [IPAddr.new("10.0.0.0/8"), "::1"], "cidr" => [IPAddr.new("10.0.0.0/8")],
    "int4range" => [1..5, 1...5, (1..), nil], "tstzrange" => [Time.utc(2024)...Time.utc(2025)],
    "int4[]" => [[], [1, nil, -3], [[1, 2], [3, 4]], "{5}"], "text[]" => [["a,b", "{}", nil, "NULL", "", "\"\\"], [%w[a b], %w[c d]]],
    "float8[]" => [[0.1, 1, Float::INFINITY]], "bytea[]" => [["\0\xFF".b, "a".b]], "bool[]" => [[true, nil, false]],
    "jsonb[]" => [[{ "a" => 1 }, "2"]], "timestamptz[]" => [[Time.utc(2024, 2, 29)]], "date[]" => [[Date.new(2024, 2, 29)]],
    "inet[]" => [[IPAddr.new("10.0.0.1")]], "uuid[]" => [%w[a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11]], "numeric[]" => [[BigDecimal("1.5"), 2]]
  }.freeze
  private_constant :STORED

  def test_the_first_and_the_later_executions_store_the_same
    in_host_with_client(connections: 1) do |db|
      STORED.each do |type, values|
        with_table("n int, v #{type}") do |table|
          values.each_with_index { |value, number| 3.times { db.query("INSERT INTO #{table} /* #{number} */ VALUES ($1, $2)", number, value) } }
          different = db.query("SELECT n, array_agg(DISTINCT v::text) AS v FROM #{table} GROUP BY n HAVING count(DISTINCT v::text) > 1 OR count(v) NOT IN (0, 3)")
          assert_empty different.to_a, type
        end
      end
    end
  end

  # The first answer comes as text, later ones in binary where every column can.
  def test_text_and_binary_are_equal
    in_host_with_client(connections: 1) do |db|
      STORED.each do |type, values|
        values.each do |value|
          first, *later = Array.new(3) { db.value("SELECT $1::#{type} /* #{value.class} #{value.object_id} */", value) }
          later.each { |other| assert same?(first, other), "#{type}: #{first.inspect} and #{other.inspect}" }
        end
      end
    end
  end

  def test_each_value_among_many
    in_host_with_client(connections: 2) do |db|
      pairs = STORED.flat_map { |type, values| values.map { |value| [type, value] } } * 2
      expected = pairs.map { |type, value| db.value("SELECT $1::#{type}", value) }
      side_by_side(pairs) { |type, value| db.value("SELECT $1::#{type}", value) }.zip(expected, pairs) do |got, wanted, pair|
        assert same?(wanted, got), pair.inspect
      end
    end
  end

  # --- the database's own types ---

  OWN = {
    "SELECT 'sad'::mood" => "sad", "SELECT ARRAY['sad', NULL, 'happy']::mood[]" => ["sad", nil, "happy"],
    "SELECT 7::positive" => 7, "SELECT ARRAY[7, 8]::positive[]" => [7, 8], "SELECT 'x'::tag" => "x", "SELECT ARRAY['x','y']::tag[]" => %w[x y],
    "SELECT 9::deep" => 9, "SELECT ARRAY[9]::deep[]" => [9], "SELECT ARRAY['{\"a\":1}']::document[]" => [{ "a" => 1 }],
    "SELECT '{1,2}'::numbers" => [1, 2], "SELECT ROW(1, 'a')::pair" => { "a" => 1, "b" => "a" }, "SELECT ARRAY[ROW(1, 'a')::pair]" => [{ "a" => 1, "b" => "a" }],
    "SELECT '[1,5)'::span" => 1...5, "SELECT point(1,2)" => "(1,2)"
  }.freeze
  DEFINITIONS = <<~SQL
    CREATE TYPE mood AS ENUM ('sad', 'happy');
    CREATE DOMAIN positive AS int CHECK (VALUE > 0);
    CREATE DOMAIN tag AS text;
    CREATE DOMAIN deep AS positive;
    CREATE DOMAIN document AS jsonb;
    CREATE DOMAIN numbers AS int[];
    CREATE TYPE pair AS (a int, b text);
    CREATE TYPE span AS RANGE (subtype = int);
  SQL
  private_constant :OWN, :DEFINITIONS

  def with_types(**options, &block)
    uri = OwnTypes.server(DEFINITIONS).uri
    in_host { Trunkline.postgres(uri, **options, &block) }
  end

  def test_types_that_the_database_defines
    with_types(connections: 1) do |db|
      OWN.each { |sql, value| 3.times { assert_equal value, db.value(sql), sql } }
    end
  end

  # All of them meet the types for the first time.
  def test_types_that_many_meet_at_once
    with_types(connections: 2) do |db|
      queries = OWN.to_a * 20
      side_by_side(queries) { |sql,| db.value(sql) }.zip(queries) { |got, (sql, value)| assert_equal value, got, sql }
    end
  end

  def test_types_of_answers_that_came_together
    with_types(connections: 1) do |db|
      OWN.each do |sql, value|
        futures = Array.new(5) { db.async(sql) }
        assert_equal [value] * 5, (futures.map { |future| future.value.value }), sql
      end
    end
  end

  def test_types_in_scripts
    with_types do |db|
      assert_equal OWN.values, db.execute_script(OWN.keys.join(";")).map(&:value)
    end
  end

  def test_parameters_of_the_databases_types
    with_types(connections: 1) do |db|
      3.times do
        assert_equal "happy", db.value("SELECT $1::mood", "happy")
        assert_equal "happy", db.value("SELECT $1::mood", :happy)
        assert_equal ["sad", nil], db.value("SELECT $1::mood[]", [:sad, nil])
        assert_equal [1, 2], db.value("SELECT $1::positive[]", [1, 2])
        assert_equal [{ "b" => [1] }], db.value("SELECT $1::document[]", [{ "b" => [1] }])
        assert_equal [3], db.value("SELECT $1::numbers", [3])
        assert_raises(Trunkline::CheckViolation) { db.value("SELECT $1::positive", -1) }
        assert_raises(Trunkline::InvalidTextRepresentation) { db.value("SELECT $1::mood", "no mood") }
      end
    end
  end

  private

  def same?(one, other)
    return false unless one.instance_of?(other.class)
    return one.zip(other).all? { |a, b| same?(a, b) } && one.size == other.size if one.is_a?(Array)

    one == other || (one.respond_to?(:nan?) && one.nan? && other.nan?)
  end
end
