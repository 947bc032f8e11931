# frozen_string_literal: true

require "suites"

module Trunkline
  module Postgres
    # Types that a caller wants in another way than usual.
    class DecodingTest < TestCase
      include DatabaseHelpers

      JSON_OID = 114
      JSONB = 3802
      INT4 = 23
      SQL = "SELECT '{\"a\": 1}'::json AS j, '{\"a\": 1}'::jsonb AS b, 7::int4 AS n"
      private_constant :JSON_OID, :JSONB, :INT4, :SQL

      def test_the_servers_text
        with_client do |db|
          texts = db.with(decode: { JSON_OID => :text, JSONB => :text })
          2.times { assert_equal ['{"a": 1}', '{"a": 1}', 7], texts.query(SQL).rows.first }
          2.times { assert_equal [{ "a" => 1 }, { "a" => 1 }, 7], db.query(SQL).rows.first }
          assert_equal ['{"a": 1}', '{"a": 1}'], [texts.value("SELECT $1::json", { a: 1 }).sub(":", ": "), texts.async(SQL).value.first["b"]]
        end
      end

      def test_text_as_the_default
        values = "SELECT 1::int4, 2::int8, true, '{1,2}'::int4[], '2024-01-01'::date, '\\x00ff'::bytea, 'a'::name, NULL::json, 1.50::numeric, " \
                 "'10.0.0.1/32'::inet, '10.0.0.0/8'::cidr, '::ffff:1.2.3.4'::inet, '1 day'::interval, '(1,2)'::point"
        with_client(decode: { default: :text, INT4 => :value }) do |db|
          2.times do
            assert_equal [1, "2", "t", "{1,2}", "2024-01-01", "\\x00ff", "a", nil, "1.50", "10.0.0.1", "10.0.0.0/8", "::ffff:1.2.3.4", "1 day", "(1,2)"],
                         db.query(values).rows.first
          end
          assert_equal ["integer", "integer[]"], db.describe("SELECT $1::int4, '{}'::int4[]").then { |seen| [seen.parameters[0].type, seen.columns[1].type] }
          db.session { |session| assert_equal ["1", 7], session.query("SELECT 1::int8, 7::int4").rows.first }
          db.transaction { |tx| assert_equal "f", tx.value("SELECT false") }
          assert_equal [1, "{}"], db.with(decode: { JSON_OID => :text }).query("SELECT 1::int8, '{}'::json").rows.first
        end
      end

      def test_what_a_callable_makes_of_it
        with_client do |db|
          halves = db.with(decode: { INT4 => ->(text) { Integer(text) / 2.0 } })
          2.times { assert_equal [3.5, nil, 7], halves.query("SELECT 7::int4, NULL::int4, 7::int8").rows.first }
          halves.transaction { |tx| assert_equal 0.5, tx.value("SELECT 1") }
          assert_equal 7, db.value("SELECT 7::int4")
        end
      end

      def test_types_of_ones_own
        type = "mood#{SecureRandom.hex(4)}"
        psql("CREATE TYPE #{type} AS ENUM ('sad', 'ok'); CREATE DOMAIN #{type}_json AS json")
        with_client do |db|
          oid = db.value("SELECT '#{type}'::regtype::oid")
          assert_equal [:ok, [{}]], db.with(decode: { oid => :to_sym.to_proc }).query("SELECT 'ok'::#{type}, ARRAY['{}'::#{type}_json]").rows.first
        end
      ensure
        psql("DROP TYPE #{type}; DROP DOMAIN #{type}_json")
      end

      def test_an_error_of_the_callable_is_the_callers
        with_client(connections: 1) do |db|
          odd = db.with(decode: { INT4 => ->(text) { raise KeyError, text } })
          assert_equal "7", assert_raises(KeyError) { odd.query("SELECT 7") }.message
          assert_equal 7, db.value("SELECT 7")
        end
      end

      def test_nonsense
        with_client do |db|
          [{ "json" => :text }, { 0 => :text }, { (1 << 32) => :text }, { 23 => :binary }, { 23 => nil }].each do |decode|
            assert_raises(ArgumentError, decode) { db.with(decode: decode) }
          end
          assert_raises(TypeError) { db.with(decode: :text) }
        end
      end
    end
  end
end
