# frozen_string_literal: true

require "test_helper"
require "pg"

module Trunkline
  module Postgres
    class TypesTest < TestCase
      DEFINITIONS = <<~SQL
        CREATE TYPE mood AS ENUM ('ok', 'sad', 'a,b "c"');
        CREATE DOMAIN count AS int CHECK (VALUE >= 0);
        CREATE DOMAIN small_count AS count CHECK (VALUE < 100);
        CREATE DOMAIN document AS jsonb;
        CREATE DOMAIN path AS int[];
        CREATE DOMAIN feeling AS mood;
        CREATE TYPE pair AS (a int, b text);
      SQL

      # Name => built-in type, whether an array of it, type of a parameter (nil: its own).
      EXPECTED = {
        "mood" => [25, false, nil], "mood[]" => [25, true, 1009], "count" => [23, false, 23], "small_count" => [23, false, 23],
        "small_count[]" => [23, true, 1007], "document" => [3802, false, 3802], "document[]" => [3802, true, 3807],
        "path" => [23, true, 1007], "path[]" => [25, false, nil], "feeling" => [25, false, nil], "feeling[]" => [25, true, 1009],
        "pair" => [25, false, :encode], "pair[]" => [25, true, :encode], "int4range" => [25, false, :encode], "int4range[]" => [25, true, :encode],
        "int4multirange" => [25, false, :encode], "point" => [25, false, nil], "point[]" => [25, true, 1009], "box[]" => [25, false, nil], "int2vector" => [25, false, nil], "integer" => [23, false, nil],
        "jsonb[]" => [3802, true, nil]
      }.freeze

      def setup
        @connection = ::PG.connect(postgres_server.uri)
        @connection.exec("BEGIN; CREATE SCHEMA shop; SET LOCAL search_path = shop, pg_catalog")
        @connection.exec(DEFINITIONS)
        @types = Types.new
        @queries = 0
      end

      def teardown
        @connection.exec("ROLLBACK")
        @connection.close
      end

      def test_what_types_are_read_as
        expected = postgres_server.version >= 14 ? EXPECTED : EXPECTED.except("int4multirange")
        oids = expected.keys.to_h { |name| [name, oid(name)] }
        resolved = resolve(oids.values)
        expected.each do |name, (base, array, parameter)|
          assert_equal [base, array], resolved[oids[name]], name
          given = @types.parameter_oids([oids[name]]).first
          parameter == :encode ? assert_respond_to(given, :encode, name) : assert_equal(parameter || oids[name], given, name)
        end
      end

      def test_one_query_and_never_again
        2.times { resolve([oid("mood"), oid("mood[]"), 23]) }
        resolve([23, 1007])
        assert_equal 1, @queries
      end

      def test_what_is_known
        refute @types.known?(oid("mood"))
        assert @types.known?(1007)
        resolve([oid("mood")])
        assert @types.known?(oid("mood"))
      end

      # The server does not tell of types that were dropped.
      def test_so_many_are_remembered_and_the_others_looked_up_again
        @types = Types.new(10)
        resolve([oid("mood")])
        (4_000_000_000..4_000_000_100).each { |gone| resolve([gone]) && resolve([oid("count")]) }
        assert_operator (4_000_000_000..4_000_000_100).count { |gone| @types.known?(gone) }, :<=, 10
        assert_equal [102 + 1, false, true], [@queries, @types.known?(oid("mood")), @types.known?(oid("count"))]
        assert_equal({ oid("mood") => [25, false] }, resolve([oid("mood")]))
      end

      def test_a_type_that_is_gone_is_text
        assert_equal({ 4_000_000_000 => [25, false] }, resolve([4_000_000_000]))
      end

      def test_finishing_user_defined_types
        { "ARRAY['ok', NULL, 'a,b \"c\"']::mood[]" => ["ok", nil, "a,b \"c\""], "5::count" => 5, "ARRAY[1, 2]::small_count[]" => [1, 2],
          "'{\"a\": [1]}'::document" => { "a" => [1] }, "ARRAY['{\"a\": 1}', NULL]::document[]" => [{ "a" => 1 }, nil],
          "ARRAY[3, 4]::path" => [3, 4], "'sad'::feeling" => "sad", "ROW(1, 'x')::pair" => { "a" => 1, "b" => "x" } }
          .each { |expression, value| assert_equal value, finished(expression), expression }
      end

      def test_nothing_to_finish
        resolve([oid("mood"), oid("point")])
        [oid("mood"), oid("point"), oid("mood[]"), 23, 1007, 4_000_000_000].each { |oid| assert_nil @types.finisher(oid) }
      end

      def test_null_stays_nil
        resolve([oid("document"), oid("document[]")])
        [oid("document"), oid("document[]"), 3802, 3807, 869].each { |oid| assert_nil @types.finisher(oid).call(nil) }
      end

      private

      def oid(name) = @connection.exec("SELECT '#{name}'::regtype::oid").getvalue(0, 0).to_i

      def resolve(oids)
        @types.resolve(oids) do |sql, params|
          @queries += 1
          result = @connection.exec_params(sql, params)
          result.values.map do |row|
            row.map.with_index { |text, index| text && Postgres.decode(result.ftype(index), false, 0, text) }
          end
        end
      end

      def finished(expression)
        result = @connection.exec("SELECT #{expression}")
        base, array = resolve([result.ftype(0)])[result.ftype(0)]
        value = Postgres.decode(base, array, 0, result.getvalue(0, 0))
        finisher = @types.finisher(result.ftype(0))
        finisher ? finisher.call(value) : value
      end
    end
  end
end
