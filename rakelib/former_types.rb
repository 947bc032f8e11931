# frozen_string_literal: true

require "pg"
require "trunkline"
require_relative "former_types_caller"

# Checks prepared statements after another program's ALTER TABLE: for each pair of types, a column of the one becomes one of the other, and each
# statement that was prepared before is executed again, through Trunkline and the pg gem's exec_prepared, and compared with new connections of both.
class FormerTypes
  # By type: its extreme values, each of which is also a value of some other type.
  TYPES = {
    "int2" => %w[0 1 -32768 32767], "int4" => %w[0 1 2147483647], "int8" => %w[1 2147483648 9007199254740993], "numeric" => %w[0.1 1.00 9007199254740993 0.10000000149011612],
    "numeric(6,2)" => %w[0.1 1.00 1234.56], "float4" => %w[0.1 1 16777217 NaN], "float8" => %w[0.1 1 0.10000000149011612 9007199254740993], "bool" => %w[true false],
    "text" => ["a", "a ", "0.1", "true", "2024-01-01", ""], "varchar(4)" => ["a", "a ", "0.1"], "char(4)" => ["a", "a   ", "true"], "name" => ["a", "a ", "x" * 63],
    "date" => %w[2024-01-01 1900-01-01 infinity], "timestamp" => ["2024-01-01 00:00:00", "2024-01-01 12:00:00.000001", "infinity"],
    "timestamptz" => ["2024-01-01 00:00:00+00", "2024-01-01 12:00:00+00"], "timestamp(0)" => ["2024-01-01 00:00:00", "2024-01-01 12:00:01"], "time" => %w[00:00:00 12:00:00.000001],
    "timetz" => %w[00:00:00+00 12:00:00.000001+02], "interval" => ["1 day", "24:00:00", "00:00:00"], "json" => ["{\"a\": 1}", "1"], "jsonb" => ["{\"a\": 1}", "1", "1.0"],
    "inet" => %w[10.0.0.1 10.0.0.0/8], "cidr" => %w[10.0.0.0/8 10.0.0.1/32], "uuid" => %w[a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11], "bytea" => %w[\\x61 \\x00],
    "money" => %w[1.00 0.10], "oid" => %w[1 4294967295], "bit(4)" => %w[0001 1010], "varbit" => %w[0001 1], "int4[]" => %w[{1,2} {}], "int8[]" => %w[{1,2} {9007199254740993}],
    "float4[]" => %w[{0.1} {1,2}], "float8[]" => %w[{0.1} {1,2}], "text[]" => %w[{a} {1,2} {0.1}], "int4range" => ["[1,2)", "empty"], "numrange" => ["[1,2)", "[0.1,1]"],
    "mood" => %w[sad happy], "humour" => %w[happy sad], "place" => %w[(0.1,1)], "spot" => %w[(0.1,1)], "positive" => %w[1 7]
  }.freeze
  DEFINITIONS = <<~SQL
    CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE TYPE humour AS ENUM ('happy', 'sad');
    CREATE TYPE place AS (x float4, n int); CREATE TYPE spot AS (x float8, n int); CREATE DOMAIN positive AS int CHECK (VALUE > 0);
    ALTER DATABASE former_types SET timezone = 'Asia/Tokyo';
  SQL
  # By name: conditions of a SELECT of other columns, which the server checks where the former type is none of UNCHECKED.
  COMPARED = {
    "=" => "SELECT id FROM t WHERE c = $1 ORDER BY id", "<" => "SELECT id FROM t WHERE c < $1 ORDER BY id", "IN" => "SELECT id FROM t WHERE c IN ($1) ORDER BY id",
    "BETWEEN" => "SELECT id FROM t WHERE c BETWEEN $1 AND $1 ORDER BY id", "DISTINCT" => "SELECT id FROM t WHERE c IS NOT DISTINCT FROM $1 ORDER BY id"
  }.freeze
  UNCHECKED = %w[int2 int4 int8 oid bool text varchar(4) bytea uuid int4[] int8[] text[]].freeze
  # By name: those that it does not check.
  CONDITIONS = {
    "CASE" => "SELECT id FROM t WHERE CASE c WHEN $1 THEN true END ORDER BY id", "nullif" => "SELECT id FROM t WHERE nullif(c, $1) IS NULL ORDER BY id",
    "greatest" => "SELECT id FROM t WHERE greatest(c, $1) = c ORDER BY id", "array_position" => "SELECT id FROM t WHERE array_position(ARRAY[c], $1) = 1 ORDER BY id"
  }.freeze
  # By name: calls of a function whose argument first has the one type, and then the other.
  FUNCTIONS = { "f in SELECT" => "SELECT f($1)", "f in INSERT" => "INSERT INTO told SELECT f($1) RETURNING c", "f in UPDATE" => "UPDATE t SET n = length(f($1)) RETURNING n" }.freeze
  # By name: statements that store into a field of a composite type which is dropped and added again under the same name; or rows that are chosen by
  # it.
  FIELDS = {
    "SET c.x" => "UPDATE u SET c.x = $1 RETURNING (c).x::text", "SET a[1].x" => "UPDATE u SET a[1].x = $1 RETURNING a[1].x::text",
    "INSERT c.x" => "INSERT INTO u (id, c.x) VALUES (-1, $1) RETURNING (c).x::text", "UPDATE (c).x" => "UPDATE u SET n = n + 1 WHERE (c).x = $1 RETURNING id",
    "DELETE (c).x" => "DELETE FROM u WHERE n = 0 AND (u.c).x = $1 RETURNING id"
  }.freeze
  # Each runs on its own connections, as a statement that detects the change has the others prepared again, too.
  STATEMENTS = [
    *COMPARED.map { |name, sql| { name => sql } }, CONDITIONS, { "*" => "SELECT id, c FROM t WHERE c = $1 ORDER BY id" }, { "INSERT" => "INSERT INTO t SELECT -1, $1 RETURNING c::text" },
    { "SET" => "UPDATE t SET c = $1 RETURNING c::text" }, { "UPDATE" => "UPDATE t SET n = n + 1 WHERE c = $1 RETURNING id" }, { "DELETE" => "DELETE FROM t WHERE c = $1 RETURNING id" },
    FUNCTIONS, FIELDS
  ].freeze
  DATABASE = "former_types"
  private_constant :TYPES, :DEFINITIONS, :COMPARED, :UNCHECKED, :CONDITIONS, :FUNCTIONS, :FIELDS, :STATEMENTS, :DATABASE

  # An answer that differs from a new connection's: the types, the statement, the value; and whether the pg gem's prepared statement differs, too.
  Difference = Struct.new(:former, :type, :statement, :value, :kept, :fresh, :postgres) do
    # @return [String] for a report
    def to_s = "#{former} -> #{type}, #{statement} #{value.inspect}: #{kept.inspect}, prepared anew #{fresh.inspect}#{", and so the pg gem" if postgres}"
  end

  # @return [Array<Difference>] of Trunkline
  attr_reader :differences

  # @return [Hash{Symbol => Integer}] :compared, and :postgres: those that the pg gem's prepared statements answer differently
  attr_reader :counts

  # @return [Array<Array(String, String)>] each two types, the former one first
  def self.pairs = TYPES.keys.permutation(2).to_a

  # @param server [Trunkline::Bench::PostgresServer] gets a database
  def initialize(server)
    @differences = []
    @counts = Hash.new(0)
    server.psql("CREATE DATABASE #{DATABASE}")
    server.psql(DEFINITIONS, dbname: DATABASE)
    @uri = server.uri(dbname: DATABASE)
    @admin = PG.connect(@uri).tap { |admin| admin.set_notice_processor { |notice| notice } }
  end

  # @param pairs [Array<Array(String, String)>] see {.pairs}
  # @yieldparam differences [Array<Difference>] of a pair that is done
  # @return [FormerTypes] self
  def run(pairs)
    pairs.each do |former, type|
      found = compare(former, type)
      @differences.concat(found)
      yield found if block_given?
    end
    self
  end

  # @return [Array<Difference>] those that must not be: of what writes, is checked, or returns the column; and where the pg gem's prepared statements are
  #   right
  def wrong = @differences.reject { |difference| difference.postgres && unchecked?(difference) }

  def close = @admin.close

  private

  def unchecked?(difference)
    return UNCHECKED.include?(difference.former) if COMPARED.key?(difference.statement)

    CONDITIONS.key?(difference.statement) || FUNCTIONS.key?(difference.statement)
  end

  def compare(former, type)
    STATEMENTS.flat_map do |statements|
      make(former, TYPES[former])
      open(statements) do |kept|
        statements.each_key { |name| 2.times { TYPES[former].first(2).each { |value| kept.both(name, value, value) } } }
        alter(former, type)
        open(statements) { |fresh| given.flat_map { |value, text| statements.keys.filter_map { |name| difference([former, type, name, value], text, kept, fresh) } } }
      end
    end
  end

  def make(type, values)
    @admin.exec("DROP TABLE IF EXISTS t, u, told, saved, held_saved; DROP TYPE IF EXISTS held; DROP FUNCTION IF EXISTS f")
    @admin.exec("CREATE TABLE t (id int PRIMARY KEY, c #{type}, n int DEFAULT 0); CREATE TABLE told (c text)")
    @admin.exec("CREATE TYPE held AS (x #{type}, n int); CREATE TABLE u (id int, c held, a held[], n int DEFAULT 0)")
    fill(type, values)
  end

  def alter(former, type)
    @admin.exec("DELETE FROM t; DELETE FROM u; ALTER TABLE t ALTER c TYPE #{type} USING NULL; ALTER TYPE held DROP ATTRIBUTE x, ADD ATTRIBUTE x #{type}; DROP FUNCTION f")
    fill(type, TYPES[former] | TYPES[type])
  end

  # Leaves out values that the type does not have.
  def fill(type, values)
    values.each_with_index do |value, id|
      @admin.exec_params("INSERT INTO t VALUES ($1, $2::text::#{type})", [id, value])
      @admin.exec_params("INSERT INTO u (id, c.x, a[1].x) VALUES ($1, $2::text::#{type}, $2::text::#{type})", [id, value])
    rescue PG::ServerError
      next
    end
    @admin.exec("CREATE FUNCTION f(#{type}) RETURNS text LANGUAGE sql AS 'SELECT $1::text'")
    @admin.exec("DROP TABLE IF EXISTS saved, held_saved; CREATE TABLE saved AS TABLE t; CREATE TABLE held_saved AS TABLE u")
  end

  # Each value as text, and as Trunkline's object for it.
  def given
    rows = Trunkline.postgres(@uri, connections: 1) { |db| db.query("SELECT c, c::text FROM t WHERE c IS NOT NULL").rows }
    [*rows.map { |value, text| [value, text_of(value) || text] }, *rows.map { |_, text| [text, text] }].uniq
  end

  def text_of(value)
    case value
    when Time then value.getutc.strftime("%F %T.%6N+00")
    when String then value.encoding == Encoding::UTF_8 ? value : nil
    end
  end

  # Restores the rows for the next statement. TRUNCATE would make the server plan prepared statements again.
  def open(statements, &block)
    table, saved = statements.equal?(FIELDS) ? %w[u held_saved] : %w[t saved]
    FormerTypesCaller.open(@uri, statements, -> { @admin.exec("DELETE FROM #{table}; INSERT INTO #{table} TABLE #{saved}") }, &block)
  end

  def difference(asked, text, kept, fresh)
    ours, theirs = [kept, fresh].map { |caller| caller.both(asked[2], asked[3], text) }.transpose
    @counts[:compared] += 1
    postgres = theirs.uniq.size > 1
    @counts[:postgres] += 1 if postgres
    Difference.new(*asked, *ours, postgres) if ours.uniq.size > 1 && ours.grep(Array).any? # two errors count as equal
  end
end
