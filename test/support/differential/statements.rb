# frozen_string_literal: true

class Differential
  # Statements of every type: values of each kind of column, values that depend on a database's settings, and errors.
  module Statements
    # Constants, and functions of them.
    PLAIN = [
      "true, false, NULL::bool", "1::int2, -32768::int2", "2147483647, -1", "9223372036854775807, -9223372036854775808", "4294967295::oid",
      "0.1::float4, 1e-45::float4, 3.4028235e38::float4", "0.1::float8, 1/3::float8, 5e-324::float8, 1e22::float8", "'NaN'::float8, '-Infinity'::float4, '-0'::float8",
      "1.50, 1e40::numeric, 0.000000000000000001, 'NaN'::numeric", "12.34::money, -1234567.89::money", "'plain'::text, ''::text, 'a'::char(5), 'b'::varchar(3), 'n'::name",
      "'x'::\"char\"", "'naïve'", "'日本語'", "'☃'", "'Привет'", "'a''b', E'c\\\\d\\n', $$e\\f$$", "'back\\slash'", "chr(65), ascii('a'), chr(228)", "upper('ä'), lower('Ö'), initcap('éa')",
      "length('日本'), octet_length('日本')", "quote_ident('user'), quote_ident('a b'), quote_literal('a\\b')", "to_char(1234.5, '9G999D99L'), to_char(-1, 'S9')",
      "'\\x00ff5c27'::bytea", "decode('00ff415c', 'hex'), ''::bytea", "'a\\\\101\\\\000'::bytea", "convert_to('ä', 'UTF8'), convert_to('ä', 'LATIN1')",
      "convert_from('\\xc3a4'::bytea, 'UTF8')", "'\\x41'::bytea::text", "encode('\\x00ff'::bytea, 'escape'), encode('\\x00ff'::bytea, 'base64')",
      "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "'2024-02-29'::date, '0001-12-31 BC'::date", "'infinity'::date, '-infinity'::timestamp", "'01/02/03'::date", "'13/02/2024'::date",
      "'02-13-2024'::date", "'1.2.2024'::date", "'1 Feb 2024'::date, '20240201'::date", "'01:02:03.000001'::time, '24:00'::time", "'12:34:56.789+05:30'::timetz",
      "'12:00'::timetz", "'2024-02-29 12:34:56.789'::timestamp", "'2024-02-29 12:34:56.789'::timestamptz", "'2024-07-01 00:00+00'::timestamptz", "'2024-07-01 12:00 EST'::timestamptz",
      "'2024-07-01 12:00 Europe/Berlin'::timestamptz", "'1890-01-01 12:00'::timestamptz", "'01/02/2024 10:00'::timestamptz", "'2024-02-29'::date::text, '2024-02-29 01:02'::timestamp::text",
      "'2024-03-10 02:30'::timestamp AT TIME ZONE 'America/New_York'", "date_trunc('day', '2024-07-01 20:00+00'::timestamptz)", "extract(hour FROM '2024-07-01 20:00+00'::timestamptz)",
      "to_char('2024-07-01 20:00+00'::timestamptz, 'YYYY-MM-DD HH24:MI TZ')", "to_char('2024-03-01'::date, 'TMDay TMMonth')",
      "'1 year 2 mons -3 days 04:05:06.7'::interval", "'-1 day +02:03'::interval", "'1-2'::interval, '3 4:05'::interval", "'P1Y2M3DT4H5M6S'::interval", "'-1 2:03:04'::interval",
      "'1 day'::interval::text, '0'::interval", "interval '1' year, interval '2:03' minute to second", "'{\"a\": [1, null, \"é\"]}'::json", "'{\"b\": 1.50, \"a\": true}'::jsonb, 'null'::jsonb",
      "'\"\\u00e9\"'::jsonb", "'{\"a\":\"\\u65e5\"}'::json->>'a'", "'10.0.0.1'::inet, '10.0.0.0/8'::cidr, '::1/64'::inet", "'08:00:2b:01:02:03'::macaddr", "'<a>ü</a>'::xml", "'a<b/>'::xml",
      "xmlelement(name a, '\\x00ff'::bytea)", "B'101', B'1'::varbit", "'fat:1 cat'::tsvector, 'a & b'::tsquery", "to_tsvector('simple', 'Élan vital')", "'(1,2)'::point, '(0.1,0.2),(3,4)'::box",
      "'<(0.1,0.2),3>'::circle, '{1,2,3}'::line", "'[1,5)'::int4range, 'empty'::int4range, '(,3]'::int8range", "'[0.10,1.5]'::numrange", "'[2024-01-01,2024-02-01)'::daterange",
      "'[2024-01-01 10:00,2024-02-01)'::tstzrange", "'[01/02/2024,]'::tsrange", "'{[1,2),[5,7)}'::int4multirange", "ARRAY[1,NULL,3], '{}'::int4[]", "'{1,NULL}'::int4[]", "'{a,NULL,\"NULL\"}'::text[]",
      "'[2:3]={1,2}'::int4[]", "ARRAY[[1,2],[3,4]]", "ARRAY['a,b','{}','\"\\\\','é']", "ARRAY[0.1::float4, 1e10], ARRAY[0.1::float8]", "ARRAY['2024-02-01'::date], ARRAY['2024-02-01 01:00+00'::timestamptz]",
      "ARRAY['\\x00ff'::bytea]", "ARRAY['1 day'::interval, '-2:00']", "ARRAY[true, NULL]", "ARRAY[1.5, NULL::numeric]", "'sad'::mood", "ARRAY['sad','happy']::mood[]", "'glad'::mood", "'sad'::public.mood, 'glad'::other.mood",
      "7::positive, 7::public.positive", "ROW(1, 'é')::public.pair, ARRAY[ROW(1, NULL)::public.pair]", "'[0.1,0.2]'::public.span", "ROW(1, 0.1::float8, '2024-02-01'::date)", "(SELECT d FROM public.days d)",
      "NULL = NULL, (SELECT 1 WHERE NULL = NULL)", "pg_get_viewdef('pg_catalog.pg_user'::regclass) LIKE '%\"pg_shadow\"%'", "'pg_class'::regclass, 'int4'::regtype, 'public.days'::regclass",
      "current_setting('TimeZone'), current_setting('search_path'), current_setting('array_nulls'), current_setting('bytea_output')",
      "current_setting('DateStyle'), current_setting('IntervalStyle'), current_setting('extra_float_digits'), current_setting('standard_conforming_strings')",
      "current_setting('lc_monetary'), current_setting('client_encoding'), current_setting('xmloption'), current_setting('transaction_read_only')",
      "1/0", "'x'::int", "'☠'::int", "nothing", "nothing()", "'{'::int4[]", "'2024-02-30'::date", "-1::public.positive", "'none'::public.mood", "repeat('x', -1)::char(0)", "chr(0)", "'1'::nothing",
      "lpad('x', 3, 'é') || '☃' COLLATE nothing", "99999::int2", "'a'::json", "convert_from('\\xff'::bytea, 'UTF8')", "chr(8364), chr(255)"
    ].map { |list| ["SELECT #{list}", [], []] }.freeze

    # Parameters, as a Ruby value and as its text.
    GIVEN = {
      "int4" => [42, "42"], "int8" => [-2**63, "-9223372036854775808"], "float4" => [0.1, "0.1"], "float8" => [1.0e-300, "1e-300"], "numeric" => [BigDecimal("-1.05e3"), "-1050"],
      "bool" => [true, "t"], "text" => ["é\\'日", "é\\'日"], "varchar(2)" => %w[é☃x é☃x], "bytea" => ["\x00\xFF\\".b, "\\x00ff5c"], "date" => [Date.new(2024, 2, 1), "2024-02-01"],
      "timestamp" => [Time.utc(2024, 2, 1, 3, 4, 5), "2024-02-01 03:04:05"], "timestamptz" => [Time.utc(2024, 2, 1, 3, 4, 5), "2024-02-01 03:04:05+00"],
      "interval" => [Trunkline::Interval.new(months: 1, days: -2, microseconds: 3_000_000), "1 mon -2 days 00:00:03"], "json" => [{ "a" => ["é", nil] }, "{\"a\":[\"é\",null]}"],
      "jsonb" => [[1, "☃"], "[1,\"☃\"]"], "inet" => [IPAddr.new("10.0.0.0/8"), "10.0.0.0/8"], "int4[]" => [[1, -2], "{1,-2}"], "text[]" => [["a,b", "é\\\""], "{\"a,b\",\"é\\\\\\\"\"}"],
      "int8[]" => [[1, nil], "{1,NULL}"], "varchar[]" => [["é", nil], "{\"é\",NULL}"], "int4range" => [1...5, "[1,5)"], "public.mood" => %w[sad sad], "mood" => %w[glad glad], "public.pair" => [{ "a" => 1, "b" => "é" }, "(1,é)"],
      "public.positive" => [-1, "-1"], "uuid" => %w[x x]
    }.map { |type, (value, text)| ["SELECT $1::#{type}, $1::#{type}::text", [value], [text]] }.freeze

    TABLES = ["SELECT * FROM public.days WHERE day = '01/02/2024'", "SELECT * FROM days WHERE moment > '2024-02-01 10:00'", "UPDATE public.days SET day = day RETURNING day", "SELECT FROM WHERE 1", "SELECT U&'d\\0061t'"]
             .map { |sql| [sql, [], []] }.freeze

    # SQL, parameters as Ruby values, and as their text.
    ALL = [*PLAIN, *GIVEN, *TABLES].freeze
    private_constant :PLAIN, :GIVEN, :TABLES
  end
end
