# frozen_string_literal: true

require "bigdecimal"
require "date"
require "ipaddr"

module Shared
  # Ruby values on their way to the server and back, the first time and later. The test includes a host.
  module Parameters
    # The type on the server, a value, and what comes back: the same unless said, nil for whatever it is.
    ROUND_TRIPS = [
      ["bool", true], ["bool", false], ["text", nil],
      ["int2", -32_768], ["int4", 2_147_483_647], ["int8", -9_223_372_036_854_775_808],
      ["numeric", 10**40, BigDecimal(10**40)], ["numeric", BigDecimal("-1.500")], ["numeric", Rational(1, 4), BigDecimal("0.25")],
      ["float4", 1.5], ["float8", 0.1], ["float8", Float::INFINITY], ["float8", -Float::INFINITY],
      ["text", "Grüße 🎻 'quoted' \\ \n"], ["text", ""], ["text", :symbol, "symbol"], ["varchar", "x" * 10_000],
      ["bytea", "\x00\xFF\\'".b], ["bytea", "".b],
      ["uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
      ["date", Date.new(2024, 2, 29)], ["timestamptz", Time.at(1_700_000_000, 123_456, :usec)],
      ["timestamptz", DateTime.new(2024, 2, 29, 12, 0, 0), Time.utc(2024, 2, 29, 12)],
      ["jsonb", { "a" => [1, nil, "ü"], "b" => {} }], ["json", { "a" => 1 }],
      ["int[]", [1, nil, 3]], ["int[]", [[1, 2], [3, 4]]], ["int[]", []],
      ["text[]", ["a,b", "{}", "", nil, "NULL", "\"\\"]], ["float8[]", [0.5, -1.5]], ["bool[]", [true, false]],
      ["int4range", 1...10, nil], ["inet", IPAddr.new("192.168.0.0/24"), nil]
    ].map { |type, value, expected = value| [type, value, expected] }.freeze

    def test_values_come_back
      in_host_with_client(connections: 2) do |db|
        ROUND_TRIPS.each do |type, value, expected|
          results = Array.new(4) { db.value("SELECT $1::#{type}", value) }
          assert_equal 1, results.uniq.size, "#{type}: #{results}"
          assert_equal_value expected, results.first, type
        end
      end
    end

    def test_not_a_number_comes_back
      in_host_with_client do |db|
        3.times { assert_predicate db.value("SELECT $1::float8", Float::NAN), :nan? }
      end
    end

    def test_values_come_back_to_their_own_callers
      in_host_with_client(connections: 2) do |db|
        types = ROUND_TRIPS * 4
        results = side_by_side(types) { |type, value| db.value("SELECT $1::#{type}", value) }
        results.zip(types) { |result, (type, _, expected)| assert_equal_value expected, result, type }
      end
    end

    def test_the_server_sees_what_ruby_meant
      in_host_with_client do |db|
        3.times do
          assert_equal true, db.value("SELECT 5 = ANY($1)", [4, 5])
          assert_equal "2024-02-29 11:00:00", db.value("SELECT ($1::timestamptz AT TIME ZONE 'UTC')::text",
                                                       Time.new(2024, 2, 29, 12, 0, 0, "+01:00"))
          assert_equal 2, db.value("SELECT length($1::bytea)", "\xFF\x00".b)
          assert_equal "b", db.value("SELECT $1::jsonb ->> 'a'", { a: "b" })
          assert_equal true, db.value("SELECT 9 <@ $1::int4range", 1..9)
          assert_equal true, db.value("SELECT $1::inet << '10.0.0.0/8'::inet", IPAddr.new("10.1.2.3"))
        end
      end
    end

    def test_stored_the_same_the_first_time_and_later
      with_table("i bigint, n numeric, t text, b bytea, j jsonb, a int[], d date, s timestamptz") do |table|
        in_host_with_client(connections: 1) do |db|
          values = [7, BigDecimal("1.25"), "ü", "\x00\x01".b, { "k" => [1] }, [1, 2], Date.new(2020, 1, 2), Time.at(0)]
          placeholders = (1..values.size).map { |number| "$#{number}" }.join(", ")
          4.times { db.query("INSERT INTO #{table} VALUES (#{placeholders})", *values) }
          assert_equal 1, db.value("SELECT count(DISTINCT x::text) FROM #{table} AS x")
          assert_equal values, db.query("SELECT * FROM #{table}").rows.first
        end
      end
    end

    def test_parameters_are_taken_at_the_call
      in_host_with_client do |db|
        text = +"before"
        future = db.async("SELECT $1::text", text)
        text.replace("after")
        assert_equal "before", future.value.value
      end
    end

    private

    # nil as the expectation: any value, as long as it is not nil itself where something was sent.
    def assert_equal_value(expected, actual, type)
      return if expected.nil?

      assert_equal expected, actual, type
    end
  end
end
