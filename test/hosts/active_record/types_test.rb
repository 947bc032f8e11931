# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # Whatever comes from the server is what the stock adapter makes of it.
    class TypesTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      VALUES = [
        "1::int2", "-7::int4", "9223372036854775807::int8", "4294967295::oid", "1.5::float4", "1e300::float8", "'NaN'::float8",
        "'-Infinity'::float8", "1.10::numeric", "12345678901234567890.123::numeric(30,3)", "7::numeric(5,0)", "'NaN'::numeric", "true", "false",
        "'text'::text", "'Zoë'::varchar(10)", "'c'::char(3)", "'c'::\"char\"", "'name'::name", "NULL", "NULL::int", "''::text",
        "'2024-02-29 12:34:56.789012'::timestamp", "'1969-12-31 23:59:59'::timestamp", "'2024-07-01 12:00:00+02'::timestamptz",
        "'2024-02-29'::date", "'0044-03-15 BC'::date", "'infinity'::date", "'12:34:56.5'::time", "'12:34:56+02'::timetz",
        "'1 year 2 days 03:04:05.5'::interval", "'-1 day'::interval", "'{\"a\": [1, null]}'::json", "'{\"a\": 1}'::jsonb", "'null'::jsonb",
        "'\\x00ff27'::bytea", "'12.34'::money", "'-5'::money", "'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'::uuid", "'10.0.0.0/8'::cidr",
        "'10.0.0.1'::inet", "'08:00:2b:01:02:03'::macaddr", "'(1,2)'::point", "'<(1,2),3>'::circle", "B'1010'", "B'101'::varbit",
        "'{1,NULL,3}'::int[]", "'{{a,b},{c,\"d,e\"}}'::text[]", "'{t,f}'::bool[]", "'{1.5}'::numeric[]", "'{2024-01-01}'::date[]",
        "'{\"2024-01-01 10:00:00\"}'::timestamp[]", "'[1,5)'::int4range", "'[2024-01-01,2024-02-01)'::daterange", "'(,1.5]'::numrange",
        "'<a>1</a>'::xml", "'a & b'::tsquery", "'a b'::tsvector", "'postgres'::regrole", "ROW(1, 'a')", "'{[1,3),[5,7)}'::int4multirange"
      ].freeze
      private_constant :VALUES

      def setup
        super
        connect_stock
      end

      def test_rows_are_the_same_as_the_stock_adapters
        compare_all
      end

      def test_in_local_time
        zone, ENV["TZ"] = ENV.fetch("TZ", nil), "Asia/Tokyo"
        ::ActiveRecord.default_timezone = :local
        connect(variables: { timezone: "Asia/Tokyo" })
        connect_stock(variables: { timezone: "Asia/Tokyo" })
        compare_all
      ensure
        ENV["TZ"] = zone
      end

      def test_the_time_zone_may_change
        %i[utc local utc].each do |zone|
          ::ActiveRecord.default_timezone = zone
          ["'2024-02-29 12:00:00'::timestamp", "current_setting('TimeZone')", "'2024-07-01 00:00:00'::timestamptz::text"].each { |value| compare(value) }
        end
      end

      def test_all_of_them_in_one_row
        sql = "SELECT #{known_here(VALUES).map.with_index { |value, index| "#{value} AS c#{index}" }.join(", ")}"
        assert_same_value stock.select_all(sql).cast_values, ours.select_all(sql).cast_values, "prepared or not"
        assert_same_value stock.exec_query(sql, "SQL", [], prepare: true).rows, ours.exec_query(sql, "SQL", [], prepare: true).rows, "prepared"
      end

      def test_executes_result_is_of_pgs_shape
        sql = "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, NULL"
        both = [stock, ours].map { |connection| connection.execute(sql) }
        [:to_a, :values, :ntuples, :nfields, :fields, :first, :cmd_tuples, :count, [:getvalue, 1, 0], [:getisnull, 1, 1], [:column_values, 1],
         [:field_values, "a"], [:ftype, 1], [:fmod, 0], [:fnumber, "b"], [:fname, 1], [:[], 1], [:tuple_values, 0], :result_status].each do |call|
          assert_equal(*both.map { |result| result.public_send(*call) }, call.inspect)
        end
        both.each { |result| assert_raises(IndexError) { result[2] } }
      end

      def test_values_that_go_there_come_back
        with_model("i int, n numeric, s text, b bool, t timestamp, z timestamptz, d date, j jsonb, a text[], r int4range, x bytea, v interval") do |model|
          values = { i: -5, n: BigDecimal("1.50"), s: "Zoë's \\ \"", b: false, t: Time.utc(2024, 2, 29, 12, 0, 0.5r), z: Time.utc(2024, 7, 1),
                     d: Date.new(2024, 2, 29), j: { "a" => [1, nil] }, a: ["x,y", "", nil], r: 1...5, x: "\x00\xFF'\\".b, v: 90.minutes }
          kept = model.find(model.create!(values).id)
          values.each { |name, value| assert_equal value, kept.public_send(name), name.to_s }
          values.except(:j, :r).each { |name, value| assert model.exists?(name => value), name.to_s }
        end
      end

      def test_documents_can_be_changed_in_place
        with_model("data jsonb") do |model|
          record = model.create!(data: { "list" => [1] })
          record.data["list"] << 2
          assert_predicate record, :changed?
          record.save!
          assert_equal [1, 2], record.reload.data["list"]
        end
      end

      private

      def compare_all = known_here(VALUES).each { |value| compare(value) }

      def compare(value)
        sql = "SELECT #{value} AS value"
        %i[select_rows select_value query].each { |verb| assert_same_value(stock.public_send(verb, sql), ours.public_send(verb, sql), value) }
        assert_same_value(stock.select_all(sql).cast_values, ours.select_all(sql).cast_values, value)
      end

      # NaN is not itself, and 1 equals 1.0.
      def assert_same_value(theirs, value, message)
        assert_equal theirs.inspect, value.inspect, message
      end
    end
  end
end
