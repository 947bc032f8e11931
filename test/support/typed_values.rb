# frozen_string_literal: true

module Trunkline
  # SQL that makes values of every built-in type: chosen ones at the edges, and random ones.
  module TypedValues
    TEXTS = ["''", "'a'", "'NULL'", "E'\\\\ \" '' {},\\n\\t'", "'naïve ☃ 𝄞'", "'  '", "repeat('long ', 3000)"].freeze
    DATES = %w['2000-01-01' '1999-12-31' '1582-10-15' '1582-10-14' '1500-02-28' '0001-01-01' 'infinity' '-infinity'
               '2024-02-29'].push("'0001-12-31 BC'").freeze
    TIMES = %w['00:00' '24:00' '12:34:56.000001' '23:59:59.999999' '01:02:03.1'].freeze
    MOMENTS = [*DATES, "'2024-02-29 12:34:56.789'", "'1969-12-31 23:59:59.5'", "'294276-12-31 12:00'",
               "'0044-03-15 01:02:03.000001 BC'"].freeze

    # By type: chosen values.
    CHOSEN = {
      "bool" => %w[true false],
      "int2" => %w[-32768 -1 0 1 32767], "int4" => %w[-2147483648 -1 0 1 2147483647],
      "int8" => %w[-9223372036854775808 -1 0 1 4611686018427387904 9223372036854775807],
      "oid" => %w[0 1 2147483648 4294967295],
      "float4" => %w['0' '-0' '1.1' '1e-45' '3.4028235e38' '1.17549435e-38' '16777217' 'NaN' 'Infinity' '-Infinity'],
      "float8" => %w['0' '-0' '0.1' '5e-324' '1.7976931348623157e308' '1e22' '1e23' 'NaN' 'Infinity' '-Infinity'],
      "numeric" => %w[0 0.00 1 -1 1.50 -0.000001 1e20 9999.9999 123456789012345678 1e-20 'NaN' 'Infinity' '-Infinity'] +
                   ["1.5e400", "repeat('7',131072)||'.'||repeat('3',16383)"],
      "text" => TEXTS, "varchar" => TEXTS, "bpchar" => TEXTS, "char(5)" => %w['' 'ab' 'abcde'], "name" => TEXTS[0, 4],
      '"char"' => %w['' 'a'].push("' '", "E'\\\\'"),
      "bytea" => ["''", "'\\x00'", "'\\xff5c2722'", "decode(repeat('00ff', 5000), 'hex')"],
      "uuid" => %w['00000000-0000-0000-0000-000000000000' 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
      "date" => [*DATES, "'4714-11-24 BC'", "'5874897-12-31'"], "time" => TIMES,
      "timestamp" => [*MOMENTS, "'4714-11-24 BC'"], "timestamptz" => MOMENTS,
      "timetz" => %w['00:00+00' '24:00-15:59' '12:34:56.789+05:30' '12:00-05:30:15' '12:00+15:59:59'],
      "interval" => ["'0'", "'1 year'", "'-1 month 1 day -00:00:01.5'", "'-9223372036854775808 us'", "'100:00:00.000001'",
                     "'-178956970 years -8 mons -2147483648 days'", "'178956970 years 7 mons 2147483647 days'"],
      "json" => ["'{\"a\": [1, null]}'", "' 1 '", "'null'", "'\"\\u00e9\"'"], "jsonb" => ["'{\"a\": [1, null]}'", "'1.50'", "'null'"],
      "inet" => %w['10.0.0.1' '10.0.0.1/8' '0.0.0.0/0' '::1' 'fe80::1/64' '::ffff:1.2.3.4' '1:0:0:2::/64' '::/0'],
      "cidr" => %w['10.0.0.0/8' '1.2.3.4/32' '::/0' 'fe80::/10' '::1/128']
    }.freeze

    # By type: an expression that differs from row to row.
    RANDOM = {
      "int4" => "(random() * 4294967295 - 2147483648)::int4", "int8" => "((random() - 0.5) * 1.8e19)::int8",
      "float4" => "((random() - 0.5) * 10 ^ (random() * 60 - 30))::float4",
      "float8" => "(random() - 0.5) * 10 ^ (random() * 400 - 200)",
      "numeric" => "((random() - 0.5)::numeric * 10::numeric ^ (random() * 60 - 30)::int)",
      "text" => "md5(random()::text)", "bytea" => "decode(md5(random()::text), 'hex')", "uuid" => "md5(random()::text)::uuid",
      "date" => "'2000-01-01'::date + ((random() - 0.5) * 4000000)::int",
      "time" => "'00:00'::time + random() * '1 day'::interval",
      "timestamp" => "'2000-01-01'::timestamp + (random() - 0.5) * '8000 years'::interval",
      "timestamptz" => "'2000-01-01'::timestamptz + (random() - 0.5) * '8000 years'::interval",
      "timetz" => "('00:00'::time + random() * '1 day'::interval)::timetz",
      "interval" => "make_interval(months => ((random() - 0.5) * 9999)::int, days => ((random() - 0.5) * 9999)::int, " \
                    "secs => (random() - 0.5) * 1e9)",
      "inet" => "set_masklen('0.0.0.0'::inet + (random() * 4294967295)::int8, (random() * 32)::int)",
      "jsonb" => "jsonb_build_object(md5(random()::text), random())"
    }.freeze

    # @return [Hash{String => String}] for each type a query with one column "value" of it
    def self.queries
      CHOSEN.to_h do |type, values|
        query = "SELECT (v)::#{type} AS value FROM (VALUES #{values.map { |value| "((#{value})::text)" }.join(",")}) AS chosen(v)"
        query += " UNION ALL SELECT #{RANDOM[type]} FROM generate_series(1, 300)" if RANDOM.key?(type)
        [type, "#{query} UNION ALL SELECT NULL::#{type}"]
      end
    end
  end
end
