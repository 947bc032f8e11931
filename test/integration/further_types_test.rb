# frozen_string_literal: true

require "suites"
require "support/own_types"
require "bigdecimal"

# Ranges, composites, extensions' types, and those that a user registers: to the server and back.
class FurtherTypesTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  # What the server is asked, and the value that comes back.
  READ = {
    "'[1,5)'::int4range" => 1...5, "'[1,5]'::int8range" => 1...6, "'(,5)'::int4range" => (nil...5), "'(,)'::int4range" => (nil...nil),
    "'empty'::int4range" => Trunkline::OpenRange::EMPTY, "'(1.5,2.5]'::numrange" => Trunkline::OpenRange.new(BigDecimal("1.5"), BigDecimal("2.5")),
    "'[2024-01-01,infinity)'::daterange" => Date.new(2024)...Float::INFINITY,
    "'[2024-01-01 00:00+00,infinity]'::tstzrange" => Trunkline::OpenRange.new(Time.utc(2024), Float::INFINITY, exclude_begin: false),
    "homes(ROW('a', 1, NULL), ROW('b', 2, NULL), '[]')" =>
      Trunkline::OpenRange.new({ "street" => "a", "number" => 1, "tags" => nil }, { "street" => "b", "number" => 2, "tags" => nil }, exclude_begin: false),
    "many('{1,NULL}', '{NULL}')" => Trunkline::OpenRange.new([1, nil], [nil], exclude_begin: false, exclude_end: true),
    "'[2024-01-01 00:00,2024-02-01 12:00:00.5)'::tsrange" => Time.utc(2024)...Time.utc(2024, 2, 1, 12, 0, 0.5r),
    "'{}'::int4multirange" => [], "'{[1,2),[4,6)}'::int4multirange" => [1...2, 4...6], "'{(1.5,2]}'::nummultirange" => [Trunkline::OpenRange.new(BigDecimal("1.5"), BigDecimal(2))],
    "ARRAY['[1,2)'::int4range, NULL]" => [1...2, nil], "ARRAY['{[1,2)}'::int4multirange]" => [[1...2]], "ARRAY[ARRAY['[1,2)'::int4range]]" => [[1...2]],
    "'[\"a,\"\"\\\\b\",\"c d\")'::words" => ('a,"\\b'..."c d"), "'[1.5,2.5]'::floats" => 1.5..2.5, "'[1,3)'::few" => 1...3,
    "ROW('Main \"st\\\\', 5, ARRAY['a,\"', NULL])::address" => { "street" => 'Main "st\\\\', "number" => 5, "tags" => ["a,\"", nil] },
    "ROW('', NULL, NULL)::address" => { "street" => "", "number" => nil, "tags" => nil }, "ROW()::nothing" => {},
    "ROW(ROW('x', 1, '{}'), 'sad', '[1,3)', now()::date - now()::date)::nested" =>
      { "at" => { "street" => "x", "number" => 1, "tags" => [] }, "mood" => "sad", "range" => 1...3, "many" => 0 },
    "ARRAY[ROW('(', 5, NULL)::address, NULL]" => [{ "street" => "(", "number" => 5, "tags" => nil }, nil], "ROW('x', 1, NULL)::home" => { "street" => "x", "number" => 1, "tags" => nil },
    "'a=>1, \"b c\"=>NULL, \"q\\\"\"=>\"x\\\\\\\\y\"'::hstore" => { "a" => "1", "b c" => nil, "q\"" => "x\\\\y" }, "''::hstore" => {}, "ARRAY['a=>1'::hstore]" => [{ "a" => "1" }],
    "'a.b'::ltree" => "a.b", "ARRAY['a.b'::ltree]" => ["a.b"], "'Abc'::citext" => "Abc", "ARRAY['x'::citext, NULL]" => ["x", nil],
    "B'0101'" => "0101", "B'01'::varbit(5)" => "01", "ARRAY[B'01']" => ["01"], "'08:00:2b:01:02:03'::macaddr" => "08:00:2b:01:02:03",
    "ARRAY['08:00:2b:01:02:03:04:05'::macaddr8]" => ["08:00:2b:01:02:03:04:05"], "'(1,2)'::point" => "(1,2)", "ARRAY['(1,2)'::point, NULL]" => ["(1,2)", nil],
    "'<(1,2),3>'::circle" => "<(1,2),3>", "'[(0,0),(1,1)]'::lseg" => "[(0,0),(1,1)]", "'{1,2,3}'::line" => "{1,2,3}", "'((0,0),(1,1))'::polygon" => "((0,0),(1,1))",
    "'(1,1),(0,0)'::box" => "(1,1),(0,0)", "ARRAY['(1,1),(0,0)'::box]" => "{(1,1),(0,0)}", "regexp_replace(12.5::money::text, '[^0-9]', '', 'g')" => "1250", "'fat & rat'::tsquery" => "'fat' & 'rat'",
    "'a b'::tsvector" => "'a' 'b'", "'<a/>'::xml" => "<a/>", "ROW(1, 'a')" => "(1,a)", "'1 2'::int2vector" => "1 2", "'[2:3]={1,NULL}'::int4[]" => [1, nil],
    "'[1,2.5,-3e-07]'::vector" => [1.0, 2.5, -3e-07], "ARRAY['[1,2]'::vector, NULL]" => [[1.0, 2.0], nil], "'[1]'::embedding" => [1.0]
  }.freeze

  # Parameters by their types.
  SENT = {
    "int4range" => [1...5, Trunkline::OpenRange::EMPTY, (nil...5)], "numrange" => [Trunkline::OpenRange.new(BigDecimal(1), BigDecimal(2))],
    "tstzrange" => [Time.utc(2024)...Time.utc(2025)], "daterange" => [Date.new(2024)...Date.new(2025)], "int4range[]" => [[1...2, nil]],
    "int4multirange" => [[], [1...2, 5...7]], "tstzmultirange" => [[Time.utc(2024)...Time.utc(2025)]], "floats" => [1.5..2.5], "words" => ['a,"\\b'..."c"],
    "int4multirange[]" => [[[1...2], [3...4, 6...7]]],
    "address" => [{ "street" => "x \"(),\\", "number" => nil, "tags" => ["a", "b,c"] }], "address[]" => [[{ "street" => "x", "number" => 1, "tags" => nil }, nil]],
    "nested" => [{ "at" => { "street" => "y", "number" => 2, "tags" => [nil] }, "mood" => "ok", "range" => 1...4, "many" => 9 }],
    "hstore" => [{ "a" => "1", "b\"\\" => nil }, {}], "hstore[]" => [[{ "a" => "1" }]], "mood[]" => [["ok", nil]],
    "vector" => [[1.0, -2.5]], "vector[]" => [[[1.0], nil, [2.0, 3.0]]], "embedding" => [[0.5]]
  }.freeze

  DEFINITIONS = <<~SQL
    CREATE EXTENSION hstore; CREATE EXTENSION ltree; CREATE EXTENSION citext;
    CREATE TYPE mood AS ENUM ('sad', 'ok');
    CREATE TYPE words AS RANGE (subtype = text); CREATE TYPE floats AS RANGE (subtype = float8); CREATE DOMAIN few AS int4range;
    CREATE TYPE address AS (street text, number int, tags text[]); CREATE TYPE nothing AS (); CREATE DOMAIN home AS address;
    CREATE TYPE homes AS RANGE (subtype = address); CREATE TYPE many AS RANGE (subtype = int[]);
    CREATE TYPE nested AS (at address, mood mood, range int4range, many int);
    CREATE SCHEMA geo; CREATE TYPE geo."Spot" AS (x float8, y float8); CREATE DOMAIN near AS geo."Spot"; CREATE TYPE colour AS ENUM ('red', 'blue');
    -- As the extension pgvector makes its own, whose text is the same; it need not be installed.
    CREATE TYPE vector;
    CREATE FUNCTION vector_in(cstring) RETURNS vector LANGUAGE internal IMMUTABLE STRICT AS 'textin';
    CREATE FUNCTION vector_out(vector) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
    CREATE TYPE vector (INPUT = vector_in, OUTPUT = vector_out, LIKE = text); CREATE DOMAIN embedding AS vector;
  SQL
  private_constant :READ, :SENT, :DEFINITIONS

  Spot = Struct.new(:x, :y)

  def with_types(**options, &block)
    uri = OwnTypes.server(DEFINITIONS).uri
    in_host { Trunkline.postgres(uri, **options, &block) }
  end

  def test_what_is_read
    with_types(connections: 1) do |db|
      known_here(READ).each { |sql, value| 2.times { assert_equal value, db.value("SELECT #{sql}"), sql } }
    end
  end

  # No comparison tells whether NaN is behind another number.
  def test_a_range_with_an_end_that_is_no_number
    with_types(connections: 1) do |db|
      2.times do
        range = db.value("SELECT '[1,NaN)'::numrange")
        assert_equal [Trunkline::OpenRange, 1, true, false, true], [range.class, range.begin, range.end.nan?, range.exclude_begin?, range.exclude_end?]
      end
    end
  end

  def test_what_is_sent_comes_back
    with_types(connections: 1) do |db|
      known_here(SENT).each { |type, values| values.each { |value| 2.times { assert_equal value, db.value("SELECT $1::#{type}", value), "#{value} as #{type}" } } }
      assert_equal({ "street" => "x", "number" => 7, "tags" => nil }, db.value("SELECT $1::address", { street: "x", number: 7 }))
      assert_equal({ "street" => "x", "number" => 7, "tags" => nil }, db.value("SELECT $1::address", ["x", 7, nil]))
      known_here("int4multirange" => [1...2]).each { |type, value| assert_equal value, db.value("SELECT $1::#{type}", "{[1,1]}") }
    end
  end

  def test_what_cannot_be_sent
    with_types(connections: 1) do |db|
      known_here({ "address" => [{ "street" => 1, "town" => 2 }, [1, 2], 1..2], "int4range" => [{ a: 1 }, [1]], "int4multirange" => [1..2, [1]], "hstore" => [[1]], "vector" => [["a"], { a: 1 }, [nil]] }).each do |type, values|
        values.each { |value| assert_raises(ArgumentError, TypeError, "#{value} as #{type}") { db.value("SELECT $1::#{type}", value) } }
      end
      assert_match(/no attribute town.*street, number, tags/, assert_raises(ArgumentError) { db.value("SELECT $1::address", { town: 1 }) }.message)
      assert_equal 1, db.value("SELECT 1")
    end
  end

  # First by a description with types unknown, then decoded by what was looked up; each column is within the limit.
  def test_values_of_a_row_together_within_max_message
    with_types(connections: 1, max_message: 140_000) do |db|
      nulls = "array_fill(ROW(NULL, NULL, NULL)::address, ARRAY[200])"
      tags = "ROW('', 1, array_fill(''::text, ARRAY[500, 1]))::address"
      2.times do
        assert_equal [200, 500], db.query("SELECT #{nulls}, #{tags}").rows.first.then { |homes, home| [homes.size, home["tags"].size] }
        error = assert_raises(Trunkline::UnreadableResult) { db.query("SELECT #{nulls}, #{nulls}") }
        assert_equal "the values of a row take more bytes of memory than max_message, 140000", error.message
        assert_raises(Trunkline::UnreadableResult) { db.query("SELECT #{tags}, #{nulls}, #{tags}") }
        assert_equal [200] * 3, db.query("SELECT #{nulls} FROM generate_series(1, 3)").rows.map { |homes,| homes.size }
      end
    end
  end

  # Each document within the limit, but not all of the row; those of other rows and callers go on.
  def test_documents_of_a_row_together_within_max_message
    with_types(connections: 1, max_message: 100_000) do |db|
      documents = "to_jsonb(array_fill('{}'::jsonb, ARRAY[$1::int]))"
      2.times do
        assert_equal [300] * 3, db.query("SELECT #{documents} FROM generate_series(1, 3)", 300).rows.map { |document,| document.size }
        sizes = side_by_side([200, 5000, 200]) do |size|
          db.query("SELECT #{documents}, #{documents}", size).rows.first.map(&:size)
        rescue Trunkline::UnreadableResult => error
          error.message
        end
        assert_equal [[200, 200], "the values of a row take more bytes of memory than max_message, 100000", [200, 200]], sizes
        assert_raises(Trunkline::UnreadableResult) { db.query("SELECT array_fill('{}'::jsonb, ARRAY[2500])") }
        assert_raises(Trunkline::UnreadableResult) { db.query("SELECT array_fill('::1'::inet, ARRAY[700])") }
        assert_raises(Trunkline::UnreadableResult) { db.query("SELECT array_fill(1::numeric, ARRAY[1200])") }
        assert_equal 600, db.value("SELECT array_fill(1::numeric, ARRAY[600])").size
      end
    end
  end

  def test_registered_types
    with_types(connections: 2) do |db|
      db.types.register("geo.\"Spot\"", encode: ->(spot) { "(#{spot.x},#{spot.y})" }) { |text| Spot.new(*text[1...-1].split(",").map(&:to_f)) }
      db.types.register("colour", &:to_sym)
      spot = Spot.new(1.5, -2.0)
      2.times do
        assert_equal [spot, [spot, nil], spot, [:red, nil], :blue],
                     db.query("SELECT $1::geo.\"Spot\", ARRAY[$1, NULL], $1::near, ARRAY['red', NULL]::colour[], $2::colour", spot, :blue).rows.first
        assert_equal [spot, nil], db.value("SELECT $1::geo.\"Spot\"[]", [spot, nil])
      end
      assert_equal (1..20).map { |number| Spot.new(number.to_f, 0.0) }, (side_by_side(1..20) { |number| db.value("SELECT ROW($1::float8, 0)::geo.\"Spot\"", number) })
      assert_equal [[spot]], db.execute_script("SELECT ROW(1.5, -2)::geo.\"Spot\"").first.rows
    end
  end

  def test_a_decoder_of_ones_own_runs_in_ones_own_fiber
    with_types(connections: 1) do |db|
      fibers = {}
      db.types.register("colour") { |text| [text, Fiber.current] }
      side_by_side(1..10) { |number| fibers[number] = [Fiber.current, *db.value("SELECT 'red'::colour /* #{number % 3} */")] }
      fibers.each_value { |own, text, decoder| assert_equal ["red", own], [text, decoder] }
    end
  end

  def test_an_error_of_ones_own_decoder
    with_types(connections: 1) do |db|
      db.types.register("colour") { |text| raise KeyError, text }
      others = Array.new(3) { |number| later { db.value("SELECT $1::int", number) } }
      2.times { assert_equal "red", assert_raises(KeyError) { db.value("SELECT 'red'::colour") }.message }
      assert_equal [0, 1, 2, 7], [*others.map(&:value), db.value("SELECT 7")]
    end
  end

  def test_names_that_are_no_types
    with_types(connections: 1) do |db|
      db.types.register("colur", &:to_sym)
      2.times { assert_match(/no type colur/, assert_raises(Trunkline::ConfigError) { db.value("SELECT 'red'::colour") }.message) }
      assert_equal 1, db.value("SELECT 1")
    end
    with_types(connections: 1) do |db|
      db.types.register("jsonb", &:to_sym)
      assert_match(/jsonb is built in/, assert_raises(Trunkline::ConfigError) { db.value("SELECT 'red'::colour") }.message)
      assert_raises(TypeError) { db.types.register(:colour, &:to_sym) }
      assert_raises(TypeError) { db.types.register("colour", encode: 1) }
      assert_raises(ArgumentError) { db.types.register("colour") }
    end
  end

  def test_the_servers_text_of_them_all
    with_types(connections: 1, decode: { default: :text }) do |db|
      assert_equal ["[1,5)", "(x,,)", "{\"[1,2)\"}", "\"a\"=>\"1\""],
                   db.query("SELECT '[1,5)'::int4range, ROW('x', NULL, NULL)::address, ARRAY['[1,2)'::int4range], 'a=>1'::hstore").rows.first
      assert_equal "(y,1,)", db.value("SELECT $1::address", { street: "y", number: 1 })
    end
  end
end
