# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  module Postgres
    # Every class of parameter against every type: a statement's first execution, when the client knows nothing of the
    # types yet, and its later ones do the same, down to the server's error.
    class ParameterMatrixTest < TestCase
      include DecodedValues

      TYPES = %w[
        bool int2 int4 int8 oid float4 float8 numeric text varchar bpchar name "char" bytea uuid date time timetz timestamp
        timestamptz interval json jsonb inet cidr int4[] text[] bytea[] jsonb[] timestamptz[] point int4range tstzrange xml
        positive moment feeling feeling[]
      ].freeze

      VALUES = [
        nil, true, false, 0, 1, -1, 40_000, 2**40, 2**70, 1.0, 0.1, -1.5e20, Float::NAN, Float::INFINITY, Rational(1, 3), Rational(4),
        BigDecimal("1.50"), BigDecimal("NaN"), "", "text", "1", "{1,2}", "naïve", "\\x00ff", "2024-02-29", "null", :symbol,
        "bytes".b, "\xFF\0".b, Time.new(2024, 2, 29, 1, 2, 3.5r, "+05:30"), Date.new(2024, 2, 29), Date.new(-43, 3, 15),
        DateTime.new(2024, 2, 29, 1, 2, 3.5r, "+05:30"), TimeOfDay.new(1), TimeOfDay.new(1, 3600), Interval.new(months: 1, days: -1),
        [], [1, nil], [[1, 2], [3, 4]], ["a\"b", nil], ["\xFF".b], [Time.utc(2024)], [{ "a" => 1 }], { "a" => [1, nil] }, {},
        1..2, (1...), Time.utc(2024)...Time.utc(2025), IPAddr.new("10.0.0.0/8"), IPAddr.new("::1"), 1i
      ].freeze

      DEFINITIONS = <<~SQL
        CREATE DOMAIN positive AS int CHECK (VALUE > 0);
        CREATE DOMAIN moment AS timestamp;
        CREATE TYPE feeling AS ENUM ('text', 'sad')
      SQL

      def test_later_executions_do_what_the_first_did
        with_server do |server|
          server.psql(DEFINITIONS)
          Trunkline.postgres(server.uri, connections: 1, max_connections: 2) { |db| TYPES.each { |type| check(db, type) } }
        end
      end

      private

      # Each value with a statement of its own, so that each is first once.
      def check(db, type)
        VALUES.each_with_index do |value, index|
          outcomes = Array.new(3) { outcome(db, "SELECT $1::#{type} AS \"#{index}\"", value) }
          outcomes.drop(1).each { |later| assert_same_value outcomes.first, later, "#{value.inspect} as #{type}: #{outcomes.inspect}" }
        end
      end

      def outcome(db, sql, value)
        [db.value(sql, value)]
      rescue ServerError => e
        [e.class.name, e.fields[:message]]
      rescue ArgumentError, TypeError, EncodingError => e
        [e.class.name, e.message]
      end
    end
  end
end
