# frozen_string_literal: true

require "bigdecimal"
require "date"
require "ipaddr"
require "pg"

class Differential
  # Random statements from the server's catalogue: its functions, operators, casts and aggregates, with values and parameters of many types. They
  # depend on the seed and on the server's version only.
  class Expressions
    # By type: values as Ruby passes them, and as text.
    VALUES = {
      "int2" => [[0, "0"], [1, "1"], [-32_768, "-32768"]], "int4" => [[0, "0"], [1, "1"], [-1, "-1"], [7, "7"], [-2**31, "-2147483648"]], "int8" => [[1, "1"], [2**32, "4294967296"], [-2**63, "-9223372036854775808"]],
      "oid" => [[1, "1"], [(2**32) - 1, "4294967295"]], "float4" => [[0.1, "0.1"], [Float::INFINITY, "Infinity"], [1.0e-45, "1e-45"]], "float8" => [[0.1, "0.1"], [-0.0, "-0"], [Float::NAN, "NaN"], [5.0e-324, "5e-324"], [1.0e22, "1e22"]],
      "numeric" => [[BigDecimal("-1.5"), "-1.5"], [BigDecimal("0"), "0"], [BigDecimal("1e20"), "100000000000000000000"], [BigDecimal("NaN"), "NaN"]], "bool" => [[true, "t"], [false, "f"]],
      "text" => [["", ""], ["é\\'日", "é\\'日"], ["2024-02-29", "2024-02-29"], ["{1,2}", "{1,2}"]], "varchar" => [["a ", "a "]], "bpchar" => [["a  ", "a  "]], "name" => [%w[pg_class pg_class]], "\"char\"" => [%w[x x]],
      "bytea" => [["".b, "\\x"], ["\x00\xFF\\".b, "\\x00ff5c"], ["text".b, "\\x74657874"]], "date" => [[Date.new(2024, 2, 29), "2024-02-29"], ["infinity", "infinity"], [Date.new(-43, 3, 15, Date::GREGORIAN), "0044-03-15 BC"]],
      "time" => [["24:00:00", "24:00:00"], ["03:04:05.000006", "03:04:05.000006"]], "timetz" => [["12:00:00+05:30", "12:00:00+05:30"]],
      "timestamp" => [[Time.utc(2024, 2, 29, 3, 4, 5), "2024-02-29 03:04:05"], ["-infinity", "-infinity"]], "timestamptz" => [[Time.utc(2024, 2, 29, 3, 4, 5), "2024-02-29 03:04:05+00"], [Time.utc(1890, 1, 1), "1890-01-01 00:00:00+00"]],
      "interval" => [[Trunkline::Interval.new(months: 1, days: -2, microseconds: 3_000_000), "1 mon -2 days 00:00:03"], ["0", "0"]], "json" => [[{ "a" => ["é", nil] }, "{\"a\":[\"é\",null]}"]], "jsonb" => [[[1, "☃"], "[1,\"☃\"]"], [{}, "{}"]],
      "jsonpath" => [["$.a[*]", "$.a[*]"]], "uuid" => [%w[a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11]], "inet" => [[IPAddr.new("10.0.0.1"), "10.0.0.1"], [IPAddr.new("::/64"), "::/64"]], "cidr" => [["10.0.0.0/8", "10.0.0.0/8"]],
      "macaddr" => [%w[08:00:2b:01:02:03 08:00:2b:01:02:03]], "bit" => [%w[1 1]], "varbit" => [%w[101 101], ["", ""]], "money" => [["12.34", "12.34"]], "point" => [["(1,2)", "(1,2)"]], "box" => [["(0.1,0.2),(3,4)", "(0.1,0.2),(3,4)"]],
      "lseg" => [["[(0,0),(1,1)]", "[(0,0),(1,1)]"]], "path" => [["((0,0),(1,1))", "((0,0),(1,1))"]], "polygon" => [["((0,0),(1,1),(1,0))", "((0,0),(1,1),(1,0))"]], "circle" => [["<(0,0),1>", "<(0,0),1>"]],
      "int4range" => [[1...5, "[1,5)"], %w[empty empty]], "numrange" => [["(,1.5]", "(,1.5]"]], "tstzrange" => [["[2024-01-01 00:00+00,)", "[2024-01-01 00:00+00,)"]], "daterange" => [["[2024-01-01,2024-02-01)", "[2024-01-01,2024-02-01)"]],
      "int4[]" => [[[1, -2], "{1,-2}"], [[], "{}"]], "int8[]" => [[[1, nil], "{1,NULL}"]], "text[]" => [[["a,b", "é\\\""], "{\"a,b\",\"é\\\\\\\"\"}"]], "float8[]" => [[[0.1], "{0.1}"]], "numeric[]" => [[[[1, 2], [3, 4]], "{{1,2},{3,4}}"]],
      "timestamptz[]" => [[[Time.utc(2024)], "{\"2024-01-01 00:00:00+00\"}"]], "tsvector" => [["fat:1 cat", "fat:1 cat"]], "tsquery" => [["a & b", "a & b"]], "pg_lsn" => [["16/B374D848", "16/B374D848"]], "xml" => [["<a>ü</a>", "<a>ü</a>"]],
      "regclass" => [%w[pg_class pg_class]], "aclitem" => [["=r/postgres", "=r/postgres"]]
    }.freeze
    # Set-returning functions are evaluated as a whole; XML of a database is long.
    LEFT_OUT = /\A(?:generate_series|pg_sleep|.*_to_xml|ts_stat|pg_ls_|pg_get_shmem|pg_hba|pg_show_all|pg_timezone_names|pg_prepared|pg_cursor|pg_lock|pg_stat|pg_logical|pg_get_wal|pg_walfile|pg_event_trigger|binary_upgrade)/
    # What ends sessions, waits, or works on files of the server.
    HARMFUL = /terminate|cancel|sleep|reload|rotate|promote|wal|shutdown|file|read|_ls_|lo_|backup|restore_point|replication|slot|origin|logical|import|stat|xact|snapshot|binary_upgrade|nextval|brin|gin|vacuum|relation|log_|recovery|tablespace/
    FUNCTIONS = <<~SQL
      SELECT p.proname, p.prokind, p.proretset, p.provolatile, p.prorettype::pg_catalog.oid, p.proargtypes::text FROM pg_catalog.pg_proc p
      WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind IN ('f', 'a') AND p.provariadic = 0 ORDER BY p.oid
    SQL
    OPERATORS = "SELECT oprname, oprleft, oprright, oprresult FROM pg_catalog.pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprcode <> 0 ORDER BY oid"
    CASTS = "SELECT castsource, casttarget FROM pg_catalog.pg_cast ORDER BY oid"
    DEPTH = 3
    private_constant :VALUES, :LEFT_OUT, :HARMFUL, :FUNCTIONS, :OPERATORS, :CASTS, :DEPTH

    # @param uri [String] of a server
    # @param seed [Integer]
    def initialize(uri, seed)
      @random = Random.new(seed)
      pg = PG.connect(uri)
      @types = VALUES.keys.to_h { |name| [Integer(pg.exec_params("SELECT $1::pg_catalog.regtype::pg_catalog.oid", [name]).getvalue(0, 0)), name] }
      calls = pg.exec(FUNCTIONS).values.map { |name, kind, set, volatile, result, types| [name, kind, set == "t", volatile, @types[Integer(result)], types.scan(/\d+/).map { |oid| @types[Integer(oid)] }] }
      calls.select! { |name, *, types| types.all? && !LEFT_OUT.match?(name) }
      @volatile = calls.select { |name, kind, _, volatile,| kind == "f" && volatile == "v" && !HARMFUL.match?(name) }
      calls.reject! { |_, _, _, volatile,| volatile == "v" }
      @sets = calls.select { |call| call[2] }
      @aggregates = calls.select { |_, kind, _, _, result, types| kind == "a" && result && types.any? }
      @functions = calls.select { |_, kind, set, _, result,| kind == "f" && !set && result }.group_by { |call| call[4] }
      @operators = pg.exec(OPERATORS).values.map { |name, left, right, result| [name, Integer(left).zero? ? :none : @types[Integer(left)], @types[Integer(right)], @types[Integer(result)]] }
      @operators = @operators.select(&:all?).group_by(&:last)
      @casts = pg.exec(CASTS).values.map { |pair| pair.map { |oid| @types[Integer(oid)] } }.select(&:all?).group_by(&:last)
    ensure
      pg&.close
    end

    # @return [Array(String, Array, Array<String>)] SQL that only reads; parameters as Ruby's values, and as texts
    def reading
      build do
        case @random.rand(10)
        when 0 then "SELECT * FROM #{called(one_of(@sets), 1)} AS s LIMIT 5"
        when 1 then "SELECT #{called(one_of(@aggregates), 1)} FROM generate_series(1, 3) AS n"
        when 2 then "SELECT n, #{any} FROM generate_series(1, 2) AS n WHERE #{expression("bool", DEPTH)} ORDER BY 1"
        when 3 then "WITH q AS (SELECT #{any} AS v) SELECT q.v, q.v IS NULL FROM q"
        else "SELECT #{Array.new(1 + @random.rand(3)) { any }.join(", ")}"
        end
      end
    end

    # @return [Array(String, Array, Array<String>)] a call of a function that may change something
    def calling = build { "SELECT #{called(one_of(@volatile), 0)}" }

    private

    def build
      @given = []
      sql = yield
      [sql, @given.map(&:first), @given.map(&:last)]
    end

    def one_of(list) = list[@random.rand(list.size)]

    def any = expression(one_of(@types.values), DEPTH)

    def expression(type, depth)
      return leaf(type) if depth.zero? || @random.rand(4).zero?

      case @random.rand(12)
      when 0 then "CASE WHEN #{expression("bool", depth - 1)} THEN #{expression(type, depth - 1)} ELSE #{leaf(type)} END"
      when 1 then "COALESCE(#{expression(type, depth - 1)}, #{leaf(type)})"
      when 2 then "(SELECT #{expression(type, depth - 1)})"
      when 3 then cast(type, depth)
      when 4..7 then operation(type, depth)
      else (calls = @functions[type]) ? called(one_of(calls), depth - 1) : leaf(type)
      end
    end

    def leaf(type)
      return "NULL::#{type}" if @random.rand(20).zero?

      value = one_of(VALUES.fetch(type))
      return "'#{value.last.gsub("'", "''")}'::#{type}" unless @random.rand(3).zero?

      @given << value
      "$#{@given.size}::#{type}"
    end

    def cast(type, depth)
      from = @casts[type] or return leaf(type)
      "(#{expression(one_of(from).first, depth - 1)})::#{type}"
    end

    def operation(type, depth)
      operators = @operators[type] or return leaf(type)
      name, left, right, = one_of(operators)

      "(#{"#{expression(left, depth - 1)} " unless left == :none}OPERATOR(pg_catalog.#{name}) #{expression(right, depth - 1)})"
    end

    def called(call, depth) = "pg_catalog.\"#{call.first}\"(#{call.last.map { |type| expression(type, depth) }.join(", ")})"
  end
end
