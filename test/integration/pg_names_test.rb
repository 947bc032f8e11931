# frozen_string_literal: true

require "suites"
require "open3"
require "pg"
require "rbconfig"

# What is written for the pg gem runs on Trunkline::PG, with the values that the gem itself gives.
class PGNamesTest < Trunkline::TestCase
  include DatabaseHelpers

  TYPES = "1 AS a, -1.50::numeric AS n, 1e300::float8 AS f, true AS t, 'x' AS s, NULL::int AS z, '\\x00ff'::bytea AS b, date '2024-02-29' AS d, " \
          "'2024-02-29 01:02:03.5'::timestamp AS ts, '[1,{\"a\":null}]'::jsonb AS j, ARRAY[1,NULL] AS ia, inet '10.0.0.0/8' AS i, interval '1 day' AS iv, 'a'::char(3) AS c"
  # Programs for a connection: c is the connection, pg the module that it is of.
  PROGRAMS = {
    strings: ->(c, _) { c.exec("SELECT #{TYPES}").then { |r| [r.to_a, r.values, r.fields, r.ntuples, r.nfields, r.num_tuples, r.ftype(1), r.fmod(13), r.fname(2), r.fnumber("t")] } },
    types: ->(c, pg) { (c.type_map_for_results = pg::BasicTypeMapForResults.new(c)) && c.exec("SELECT #{TYPES}").values },
    types_later: ->(c, pg) { c.exec("SELECT 1, '2'").map_types!(pg::TypeMapByColumn.new([pg::TextDecoder::Integer.new, nil])).values },
    types_by_oid: ->(c, pg) { c.exec("SELECT 1, 2.5").map_types!(pg::TypeMapByOid.new.add_coder(pg::TextDecoder::Integer.new(oid: 23))).values },
    too_few_columns: ->(c, pg) { c.exec("SELECT 1, 2").map_types!(pg::TypeMapByColumn.new([nil])) },
    of_ones_own: lambda { |c, pg|
      decoder = Class.new(pg::SimpleDecoder) { def decode(text, row = nil, column = nil) = [text, row, column] }
      c.exec("SELECT 1, 2").map_types!(pg::TypeMapByOid.new.add_coder(decoder.new(oid: 23))).values
    },
    changed: ->(c, _) { ["CREATE TEMP TABLE t (a int)", "INSERT INTO t VALUES (1), (2)", "UPDATE t SET a = 3", "DELETE FROM t"].map { |sql| c.exec(sql).then { |r| [r.cmd_tuples, r.result_status, r.res_status, r.ntuples] } } },
    parameters: ->(c, _) { c.exec_params("SELECT $1::int + $2::int, $3::text, $4::bool, $5::bytea, $6::float8", [1, "2", nil, true, { value: "\x00\xFF".b, format: 1 }, 1.5]).values },
    query_types: ->(c, pg) { (c.type_map_for_queries = pg::BasicTypeMapForQueries.new(c)) && c.exec_params("SELECT $1 + 1, $2::bool, $3, $4::int[]", [1, false, "x", [1, 2]]).values },
    prepared: ->(c, _) { [c.prepare("one", "SELECT $1::int * 2").ntuples, c.exec_prepared("one", [4]).values, c.exec_prepared("one", ["5"]).getvalue(0, 0)] },
    unprepared: ->(c, _) { c.exec_prepared("none") },
    script: ->(c, _) { c.exec("SELECT 1; SELECT 2 AS last").to_a },
    block: ->(c, _) { c.exec("SELECT 1") { |r| r.getvalue(0, 0) } },
    symbols: ->(c, _) { c.exec("SELECT 1 AS a").field_names_as(:symbol).then { |r| [r.to_a, r.fields, r.field_name_type] } },
    rows: ->(c, _) { c.exec("SELECT 1 AS a, 'bc' AS b UNION ALL SELECT 2, NULL ORDER BY 1").then { |r| [r.each_row.to_a, r.column_values(1), r.field_values("a"), r.tuple_values(1), r.getisnull(1, 1), r.getlength(0, 1)] } },
    no_row: ->(c, _) { c.exec("SELECT 1")[1] }, no_field: ->(c, _) { c.exec("SELECT 1").fnumber("x") }, no_field_values: ->(c, _) { c.exec("SELECT 1").field_values("x") }, no_value: ->(c, _) { c.exec("SELECT 1").getvalue(0, 3) },
    transaction: ->(c, pg) { [c.transaction_status, c.transaction { |inner| [inner.equal?(c), c.transaction_status, c.exec("SELECT 1").values] }, c.transaction { raise pg::RollbackTransaction }, c.transaction_status] },
    transaction_left: ->(c, _) { c.exec("CREATE TEMP TABLE tl (a int)") && [[1, 2].each { |n| c.transaction { c.exec("INSERT INTO tl VALUES (1)"); break n } }, c.exec("SELECT count(*) FROM tl").values, (c.transaction { c.exec("DELETE FROM tl") && raise("left") } rescue $!.message), c.exec("SELECT count(*) FROM tl").values] },
    no_parameters: ->(c, _) { c.exec("SELECT 1", nil).values },
    too_many_arguments: ->(_, pg) { pg.connect(*%w[a b c d e f g h]) rescue $!.class },
    failed: ->(c, _) { c.transaction { c.exec("SELECT 1 / 0") } },
    failed_then: ->(c, _) { c.exec("BEGIN") && (c.exec("SELEC") rescue [c.transaction_status, c.exec("ROLLBACK").result_status, c.transaction_status]) },
    syntax: ->(c, _) { c.exec("SELECT 1,\n  nam FROM pg_class") }, unique: ->(c, _) { c.exec("CREATE TEMP TABLE u (id int PRIMARY KEY)") && c.exec("INSERT INTO u VALUES (1), (1)") },
    serialization: ->(c, _) { c.exec("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$") }, own: ->(c, _) { c.exec("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = 'XX999', HINT = 'h'; END $$") },
    escaping: ->(c, _) { ["O'Reilly", "ü", ""].map { |text| [c.escape_string(text), c.escape_literal(text), c.escape_bytea(text.b), c.quote_ident([text, "a\"b"])] } << c.unescape_bytea("\\x00ff") << c.unescape_bytea("a\\000\\\\") },
    copy: lambda { |c, pg|
      c.exec("CREATE TEMP TABLE k (a int, b text)")
      c.copy_data("COPY k FROM STDIN") { c.put_copy_data("1\tx\\ty\n") }
      c.copy_data("COPY k FROM STDIN", pg::TextEncoder::CopyRow.new) { [[2, "a\tb\n\\c"], [3, nil]].each { |row| c.put_copy_data(row) } }
      lines = []
      c.copy_data("COPY k TO STDOUT", pg::TextDecoder::CopyRow.new) { while (line = c.get_copy_data) do lines << line end }
      [lines, c.exec("SELECT * FROM k").values]
    },
    copy_results: lambda { |c, _|
      c.exec("CREATE TEMP TABLE cr (a int, b text)")
      tell = ->(r) { [r.res_status, r.nfields, r.binary_tuples, r.ntuples, r.cmd_tuples, r.cmd_status] }
      began = []
      ended = [
        c.copy_data("COPY cr FROM STDIN") { |r| began << tell.call(r) and c.put_copy_data("1\tx\n2\ty\n") },
        c.copy_data("COPY cr (a) TO STDOUT (FORMAT binary)") { |r| began << tell.call(r) and (nil while c.get_copy_data) }
      ]
      [began, ended.map(&tell)]
    },
    copy_of_none: ->(c, _) { c.copy_data("SELECT 1") { nil } rescue [$!.class, c.exec("SELECT 1").values] },
    negative: ->(c, _) { c.exec("SELECT 1").then { |r| [-> { r[-1] }, -> { r.getvalue(-1, 0) }, -> { r.fname(-1) }, -> { r.ftype(-1) }, -> { r.fmod(-1) }, -> { r.column_values(9) }, -> { r.tuple_values(-1) }].map { |asked| asked.call rescue $!.class } } },
    symbols_always: ->(c, _) { (c.field_name_type = :symbol) && c.exec("SELECT 1 AS a").to_a },
    coders_always: ->(c, pg) { (c.decoder_for_get_copy_data = pg::TextDecoder::CopyRow.new) && [].tap { |rows| c.copy_data("COPY (SELECT 1, 2) TO STDOUT") { while (row = c.get_copy_data) do rows << row end } } },
    no_payload: ->(c, _) { c.exec("LISTEN ch; NOTIFY ch") && c.wait_for_notify(60) { |*told| told.last } },
    copy_left: ->(c, _) { c.copy_data("COPY (SELECT 1) TO STDOUT") { nil } },
    notices: ->(c, _) { [].tap { |told| c.set_notice_processor { |text| told << text } && c.exec("DO $$ BEGIN RAISE NOTICE 'mind'; END $$") } },
    notify: ->(c, _) { c.exec("LISTEN ch; NOTIFY ch, 'x'") && [c.wait_for_notify(60) { |channel, pid, payload| [channel, pid == c.backend_pid, payload] }, c.wait_for_notify(0.01), c.notifies] },
    settings: ->(c, _) { c.exec("SET application_name = 'mine'") && [c.parameter_status("application_name"), c.exec("SHOW application_name").values, c.server_version, c.protocol_version, c.db, c.user] },
    told: ->(c, _) { ["CREATE TEMP TABLE tt (a int, b text)", "INSERT INTO tt VALUES (1, 'x')", "SELECT a, b, 1 FROM tt", "SELECT", "", "BEGIN", "SAVEPOINT s", "COMMIT", "SET a.b = '1'; SELECT 1"].map { |sql| c.exec(sql).then { |r| [sql, r.cmd_status, r.res_status, r.nfields.times.map { |at| [r.ftable(at).positive?, r.ftablecol(at), r.fsize(at), r.fformat(at), r.fname(at)] }] } } },
    told_of_rules: lambda { |c, _|
      c.exec("CREATE TEMP TABLE tr (a int); CREATE RULE more AS ON INSERT TO tr DO ALSO (SELECT 1 AS a; SELECT 2 AS b, 3); CREATE RULE other AS ON DELETE TO tr DO INSTEAD SELECT 4 FROM generate_series(1, 3)")
      c.send_query("SELECT 1; INSERT INTO tr VALUES (1), (2); DELETE FROM tr; UPDATE tr SET a = 2 RETURNING a; BEGIN; COMMIT")
      [].tap { |told| while (r = c.get_result) do told << [r.cmd_status, r.cmd_tuples, r.res_status, r.values] end }
    },
    binary: ->(c, _) { c.exec_params("SELECT '\\x0001'::bytea, 1::int4, 'x'::text, NULL::int", [], 1).then { |r| [r.values, r.getvalue(0, 1).encoding, r.fformat(1), r.binary_tuples, r.getlength(0, 1)] } },
    binary_parameters: ->(c, _) { c.exec_params("SELECT $1::text, $2::int, $3, $4", [{ value: "ab", format: 1 }, { value: [7].pack("N"), format: 1 }, { value: "5", type: 23 }, { value: [8].pack("n"), format: 1, type: 21 }]).then { |r| [r.values, r.ftype(2), r.ftype(3)] } },
    tuples: ->(c, _) { c.exec("SELECT 1 AS a, 'x' AS b").tuple(0).then { |t| [t[0], t["b"], t[:b], t[-1], t[5], t.fetch("a"), (t.fetch("z") rescue $!.class), t.keys, t.values, t.to_a, t.key?("a"), t.index("b"), t.length, t.each_value.to_a] } },
    own_rows: ->(c, _) { c.exec("SELECT 1 AS a").then { |r| r.values[0] << 1 and r.fields << "z" and [r.values, r.fields, r.each_row.to_a] } },
    cleared: ->(c, _) { c.exec("SELECT 1").then { |r| [r.cleared?, r.clear, r.cleared?, (r.values rescue $!.message[/result has been cleared/])] } },
    map_by_class: ->(c, pg) { (c.type_map_for_queries = pg::TypeMapByClass.new.tap { |map| map[Integer] = pg::TextEncoder::Integer.new(oid: 20) }) && c.exec_params("SELECT $1, $2", [1, "x"]).then { |r| [r.values, r.ftype(0), r.ftype(1)] } },
    default_map: ->(c, pg) { c.exec("SELECT 1, 'x'").map_types!(pg::TypeMapByColumn.new([nil, nil]).with_default_type_map(pg::TypeMapByOid.new.add_coder(pg::TextDecoder::Integer.new(oid: 23)))).values },
    described: ->(c, _) { c.prepare("d", "SELECT $1::int + 1 AS n, $2::text") && c.describe_prepared("d").then { |r| [r.nparams, r.paramtype(0), r.paramtype(1), r.fields, r.ftype(0), r.ntuples] } },
    prepared_wrongly: ->(c, _) { c.prepare("w", "SELECT nam") }, prepared_twice: ->(c, _) { c.prepare("t", "SELECT 1") && c.prepare("t", "SELECT 2") }, prepared_types: ->(c, _) { c.prepare("y", "SELECT $1", [23]) && c.exec_prepared("y", ["4"]).ftype(0) },
    sent: ->(c, _) { c.send_query("SELECT 1 AS a; SELECT 2 AS b") || [c.get_result.to_a, c.get_result.to_a, c.get_result, c.is_busy] },
    sent_with: ->(c, _) { c.send_query_params("SELECT $1::int AS a", [3]) || [c.block, c.is_busy, c.consume_input, c.get_result.to_a, c.get_last_result] },
    sent_wrongly: ->(c, _) { c.send_query("SELECT 1; SELECT 1 / 0") || [c.get_result.values, c.get_result.then { |r| [r.res_status, r.error_field(67), (r.check rescue $!.class.name)] }, c.get_result, c.exec("SELECT 1").values] },
    sent_prepared: ->(c, _) { [c.send_prepare("s", "SELECT $1::int"), c.get_last_result.res_status, c.send_query_prepared("s", [4]), c.get_last_result.values, c.send_describe_prepared("s"), c.get_last_result.nparams] },
    sent_twice: ->(c, _) { c.send_query("SELECT 1") || (c.send_query("SELECT 2") rescue [$!.class.name, c.discard_results, c.exec("SELECT 3").values]) },
    sent_then_asked: ->(c, _) { c.send_query("SELECT 1") || c.exec("SELECT 2").values },
    last_result: ->(c, _) { [(c.send_query("SELECT 1; SELECT 2") || c.get_last_result.values), (c.send_query("SELECT 1 / 0") || (c.get_last_result rescue $!.class.name))] },
    selected: ->(c, _) { c.send_query("SELECT pg_sleep(0.01), 5") || [IO.select([c.socket_io], nil, nil, 60)&.size, (c.consume_input until !c.is_busy), c.get_result.getvalue(0, 1), c.get_result] },
    single_rows: ->(c, _) { c.send_query("SELECT generate_series(1, 250) AS n") || [c.set_single_row_mode.equal?(c), c.get_result.then { |r| [r.res_status, r.to_a] }, c.get_result.to_a, c.discard_results, c.exec("SELECT 1").values] },
    streamed: ->(c, _) { c.send_query("SELECT generate_series(1, 250) AS n") || c.set_single_row_mode && [c.get_result.stream_each.map { |row| row["n"].to_i }.sum, c.get_result] },
    streamed_wrongly: ->(c, _) { c.send_query("SELECT 1 / (3 - n) FROM generate_series(1, 5) n") || c.set_single_row_mode && [].tap { |rows| c.get_result.stream_each_row { |row| rows << row } rescue rows << $!.class.name } },
    streamed_to_its_end: ->(c, _) { c.send_query("SELECT 1 AS n") || c.set_single_row_mode && [c.get_result.res_status, c.get_result.then { |r| [r.res_status, r.ntuples, r.cmd_status, r.fields] }, c.get_result] },
    no_stream: ->(c, _) { c.exec("SELECT 1").stream_each { nil } rescue $!.class.name },
    # A cancel that comes before the server has begun is ignored.
    cancelled: lambda { |c, pg|
      sleeping = "SELECT 1 FROM pg_stat_activity WHERE pid = #{c.backend_pid} AND wait_event = 'PgSleep'"
      c.send_query("SELECT pg_sleep(60)")
      pg.connect(host: c.host, port: c.port, user: c.user, dbname: c.db) { |other| nil until other.exec(sleeping).ntuples == 1 }
      [c.cancel, (c.get_last_result rescue $!.class.name), c.exec("SELECT 1").values]
    },
    open_copy: ->(c, _) { c.exec("CREATE TEMP TABLE oc (a int)") && [c.exec("COPY oc FROM STDIN").res_status, c.put_copy_data("1\n2\n"), c.put_copy_end, c.get_result.then { |r| [r.res_status, r.cmd_tuples, r.cmd_status] }, c.get_result, c.exec("COPY oc TO STDOUT").res_status, c.get_copy_data, c.get_copy_data, c.get_copy_data, c.get_result.res_status, c.exec("SELECT count(*) FROM oc").values] },
    open_copy_failed: ->(c, _) { c.exec("CREATE TEMP TABLE of (a int)") && c.exec("COPY of FROM STDIN") && [c.put_copy_data("1\n"), c.put_copy_end("no more"), c.get_result.then { |r| [r.res_status, r.error_field(67), r.error_field(77)] }, c.exec("SELECT count(*) FROM of").values] },
    open_copy_wrong: ->(c, _) { c.exec("CREATE TEMP TABLE ow (a int)") && c.exec("COPY ow FROM STDIN") && [c.put_copy_data("x\n"), c.put_copy_end, c.get_result.then { |r| [r.res_status, r.error_field(67)] }, c.exec("SELECT count(*) FROM ow").values] },
    open_copy_refused_early: ->(c, _) { c.exec("CREATE TEMP TABLE oe (a int)") && c.exec("COPY oe FROM STDIN") && [c.put_copy_data("x\n"), 40.times.map { c.put_copy_data("1\n" * 50_000) }.uniq, c.put_copy_end, c.get_result.then { |r| [r.res_status, r.error_field(67)] }, c.exec("SELECT count(*) FROM oe").values] },
    large_objects: lambda { |c, pg|
      c.transaction do
        oid = c.lo_creat
        fd = c.lo_open(oid, pg::INV_WRITE | pg::INV_READ)
        [c.lo_write(fd, "ab\0cd"), c.lo_lseek(fd, 1, pg::SEEK_SET), c.lo_read(fd, 3), c.lo_tell(fd), c.lo_read(fd, 9), c.lo_read(fd, 9), c.lo_truncate(fd, 2), c.lo_lseek(fd, 0, pg::SEEK_END), c.lo_close(fd), c.lo_unlink(oid)]
      end
    },
    binary_coders: ->(_, pg) { { Int2: 1, Int4: "2", Int8: -3, Float4: 1.5, Float8: 2, Boolean: false, Bytea: "x", String: "ü" }.map { |name, value| [name, pg::BinaryEncoder.const_get(name).new.then { |coder| [coder.format, coder.encode(nil), coder.encode(value)] }] } },
    binary_decoders: ->(_, pg) { [pg::BinaryDecoder::Integer.new.then { |d| [d.decode("\0\1".b), d.decode("\xff\xff\xff\xfe".b), d.decode("\0\0\0\1\0\0\0\0".b)] }, pg::BinaryDecoder::Float.new.decode("\x3f\xc0\0\0".b), pg::BinaryDecoder::Boolean.new.decode("\1"), pg::BinaryDecoder::Bytea.new.decode("\0\xff".b)] },
    binary_results: ->(c, pg) { (c.type_map_for_results = pg::BasicTypeMapForResults.new(c)) && c.exec_params("SELECT 1::int2, 2::int4, 3::int8, 1.5::float4, 2.5::float8, true, '\\x00ff'::bytea, 'ü'::text, date '2024-02-29', NULL::int", [], 1).values },
    parameters_by_binary_coders: ->(c, pg) { c.exec_params("SELECT $1, $2", [70_000, "\0\1".b], 0, pg::TypeMapByColumn.new([pg::BinaryEncoder::Int4.new(oid: 23), pg::BinaryEncoder::Bytea.new(oid: 17)])).values },
    coders: ->(_, pg) { pg::TextEncoder::Integer.new(name: "INT4", oid: 23).then { |coder| [coder == pg::TextEncoder::Integer.new(name: "INT4", oid: 23), coder == pg::TextEncoder::Integer.new, coder.to_h.slice(:oid, :name, :format)] } },
    coder_map: ->(_, pg) { pg::TypeMapByOid.new.add_coder(pg::BinaryDecoder::Integer.new(oid: 23)).add_coder(pg::TextDecoder::Integer.new(oid: 23)).then { |map| [map.coders.map(&:format), map.max_rows_for_online_lookup, (map.add_coder(:x) rescue [$!.class, $!.message]), (map.freeze.rm_coder(0, 23) rescue $!.class)] } },
    map_of_columns: ->(_, pg) { [(pg::TypeMapByColumn.new(:x) rescue $!.message), (pg::TypeMapByColumn.new([1]) rescue $!.message), pg::TypeMapByColumn.new([pg::TextDecoder::Integer.new(name: "INT4"), nil, pg::BinaryEncoder::Bytea.new]).inspect] },
    maps_not_for_parameters: lambda { |c, pg|
      [pg::TypeMapByOid.new, Class.new(pg::TypeMapByColumn) { def initialize = nil }.new].map do |map|
        c.exec_params("SELECT $1", [1], 0, map)
      rescue NotImplementedError => error
        error.class
      end
    },
    copy_row_map: ->(c, pg) { rows = []; c.copy_data("COPY (SELECT 1, 'x', NULL) TO STDOUT", pg::TextDecoder::CopyRow.new(type_map: pg::TypeMapByColumn.new([pg::TextDecoder::Integer.new, nil, nil]))) { while (row = c.get_copy_data) do rows << row end }; rows },
    copy_row_map_too_short: ->(c, pg) { told = []; c.copy_data("COPY (SELECT 1, 2) TO STDOUT", pg::TextDecoder::CopyRow.new(type_map: pg::TypeMapByColumn.new([nil]))) { told << (c.get_copy_data rescue $!.message[/number of copy fields/]) << c.get_copy_data }; told },
    copy_row_encoded: ->(c, pg) { c.exec("CREATE TEMP TABLE cr (a int, b bool)"); c.copy_data("COPY cr FROM STDOUT", pg::TextEncoder::CopyRow.new(type_map: pg::TypeMapByColumn.new([nil, pg::TextEncoder::Boolean.new]))) { c.put_copy_data([1, true]) }; c.exec("TABLE cr").values },
    no_coder: ->(c, _) { [(c.put_copy_data([1], :none) rescue $!.class), (c.exec_params("SELECT 1", [], nil, :none) rescue $!.class), (c.send_query_params("SELECT 1", nil) rescue $!.class)] },
    query_in_copy: ->(c, _) { c.copy_data("COPY (SELECT 1) TO STDOUT") { c.exec("SELECT 2") } rescue [$!.class.name, c.exec("SELECT 3").values] },
    other_encodings: ->(c, _) { [c.exec("SELECT 'ü'".encode("UTF-16LE")).values, c.prepare("ü".encode("UTF-16BE"), "SELECT 1".encode("UTF-32LE")).ntuples, c.exec_prepared("ü").values, c.describe_prepared("ü".encode("UTF-16LE")).nparams] },
    types_declared_in_a_changed_session: ->(c, _) { ["DISCARD ALL", "SET search_path = pg_catalog", "CREATE TEMP TABLE td (a int)"].map { |sql| c.exec(sql) && c.exec_params("SELECT $1, $2", [{ value: "\0\xff".b, type: 17, format: 1 }, { value: nil, type: 17, format: 1 }]).values } },
    null_bytes: ->(c, _) { [(c.exec("SELECT 1\0") rescue [$!.class, $!.message[/null byte/]]), (c.exec_params("SELECT $1", ["a\0b"]) rescue $!.class), (c.prepare("a\0", "SELECT 1") rescue $!.message), (c.exec_prepared("a\0") rescue $!.message)] },
    quoted: ->(_, pg) { [nil, [nil], [["a"]], :a, "a"].map { |name| pg::Connection.quote_ident(name) rescue $!.class } },
    results_of_nothing: ->(c, _) { [c.discard_results, c.send_query("SELECT 1"), c.discard_results, c.discard_results] },
    results_of_a_lost_connection: ->(c, _) { c.send_query("SELECT pg_terminate_backend(pg_backend_pid())"); [c.discard_results, c.status] },
    frozen: ->(c, _) { c.freeze; [:exec, :send_query, :prepare].map { |name| c.public_send(name, *["SELECT 1"] * (name == :prepare ? 2 : 1)) rescue $!.class } << (c.setnonblocking(true) rescue $!.class) << (c.finish rescue $!.class) << c.finished? },
    names_of_fields: ->(c, _) { (c.field_name_type = "symbol") rescue [$!.class, $!.message] },
    each_tuple: ->(c, _) { c.exec("SELECT 1 AS a, NULL AS b").each_tuple.map(&:to_h) },
    nonblocking: ->(c, _) { [c.isnonblocking, c.setnonblocking(true), c.nonblocking?, c.setnonblocking(false), c.isnonblocking] },
    verbose_errors: ->(c, pg) { c.send_query("SELECT nowhere"); c.get_last_result rescue $!.result.then { |r| [pg::PQERRORS_SQLSTATE, pg::PQERRORS_TERSE, pg::PQERRORS_DEFAULT, pg::PQERRORS_VERBOSE].map { |verbosity| r.verbose_error_message(verbosity, pg::PQSHOW_CONTEXT_ERRORS) } } },
    verbose_contexts: ->(c, pg) { c.send_query("DO $$ BEGIN RAISE EXCEPTION 'x' USING HINT = 'h'; END $$"); c.get_last_result rescue $!.result.then { |r| [pg::PQSHOW_CONTEXT_NEVER, pg::PQSHOW_CONTEXT_ALWAYS].map { |visibility| r.verbose_error_message(pg::PQERRORS_DEFAULT, visibility) } } },
    encrypted_md5: ->(c, pg) { [c.encrypt_password("secret", "joe", "md5"), pg::Connection.encrypt_password("secret", "joe"), (c.encrypt_password("a", "b", "none") rescue [$!.class.name, $!.message[/unrecognized password encryption algorithm "none"/]]), (c.encrypt_password(nil, "b") rescue $!.class)] },
    encrypted_scram: ->(c, _) { [c.encrypt_password("secret", "joe"), c.encrypt_password("secret", "joe", "scram-sha-256")].map { |text| text.gsub(/[A-Za-z0-9+\/]{20,}=*/, "...") } },
    defaults: ->(c, pg) { [pg::Connection.conndefaults_hash.values_at(:port), [c.conndefaults, c.conninfo].map { |list| list.first.keys & %i[keyword label dispchar dispsize] }, c.conninfo_hash.values_at(:port, :user, :dbname, :host), c.tty, c.hostaddr, c.options] },
    connection_strings: ->(_, pg) { ["host=a port=5 password='x \\\\ y' dbname=b", "postgresql://u:p%20w@h:5/d?sslmode=require", "dbname=x user=y"].map { |text| pg::Connection.conninfo_parse(text).to_h { |option| option.values_at(:keyword, :val) }.compact } },
    connect_arguments: ->(_, pg) { [[{ host: "a'b", "port" => 5 }], ["dbname=x", { user: "y" }], ["h", 5, nil, nil, :d], ["postgres:///d?host=/tmp"], ["h"]].map { |arguments| pg::Connection.parse_connect_args(*arguments).sub(/fallback_application_name='[^']*'/, "") } },
    pings: ->(c, pg) { to = { host: c.host, port: c.port }; [[to], [{ **to, dbname: "not_there", user: "absent" }], [{ host: "/not/there" }], [{ **to, invalid: 1 }]].map { |arguments| pg::Connection.ping(*arguments) } },
    streamed_by_types: ->(c, pg) { c.send_query("SELECT generate_series(2, 4) AS a"); c.set_single_row_mode; r = c.get_result.field_names_as(:symbol); r.type_map = pg::TypeMapByColumn.new([pg::TextDecoder::Integer.new]); [r.stream_each.to_a, c.get_result] },
    streamed_tuples_by_types: ->(c, pg) { c.send_query("SELECT generate_series(2, 4) AS a"); c.set_single_row_mode; r = c.get_result.field_names_as(:symbol); r.type_map = pg::TypeMapByColumn.new([pg::TextDecoder::Integer.new]); r.stream_each_tuple.map { |tuple| tuple[:a] } },
    streamed_command: ->(c, _) { c.send_query("CREATE TEMP TABLE sc (a int)"); c.set_single_row_mode; r = c.get_result; [r.stream_each { raise "a row" }.equal?(r), c.get_result] },
    streamed_error: ->(c, _) { c.send_query("SELECT 0 / 0"); c.set_single_row_mode; c.get_result.stream_each { raise "a row" } rescue [$!.class.name, c.exec("SELECT 1").values] },
    streamed_and_taken: ->(c, _) { c.send_query("SELECT generate_series(2, 4)"); c.set_single_row_mode; c.get_result.stream_each { nil while c.get_result } rescue [$!.class.name, c.exec("SELECT 1").values] },
    wrong_options: ->(_, pg) { [["host=/x pool=5"], ["mysql://x"]].map { |arguments| pg.connect(*arguments) rescue [$!.class.name, $!.is_a?(pg::Error)] } },
    named_application: ->(c, _) { c.exec("SHOW application_name").values },
    closed: ->(c, _) { [c.finished?, c.status, c.close, c.finished?] }, asked_when_closed: ->(c, _) { c.close && nil || c.exec("SELECT 1") }, closed_twice: ->(c, _) { c.close || c.close },
    encoders: ->(_, pg) { [pg::TextEncoder::Boolean.new.encode(true), pg::TextEncoder::Identifier.new.encode(["a", "b\"c"]), pg::TextEncoder::QuotedLiteral.new.encode("it's"), pg::TextDecoder::Boolean.new.decode("f"), pg::TextDecoder::Float.new.decode("1.5")] }
  }.freeze
  # Words of the class that answers, and those of libpq of what is closed.
  FORMS = { "Trunkline::PG" => "PG", "connection is closed" => "(closed)", "PQsocket() can't get socket descriptor" => "(closed)" }.freeze
  private_constant :TYPES, :PROGRAMS, :FORMS

  PROGRAMS.each do |name, program|
    define_method(:"test_#{name}") { assert_equal outcome(::PG, program), outcome(Trunkline::PG, program) }
  end

  def test_what_is_not_there_is_a_missing_method
    Trunkline::PG.connect(postgres_server.uri) do |connection|
      %i[enter_pipeline_mode trace untrace set_error_verbosity connect_poll].each do |name|
        refute_respond_to connection, name
        error = assert_raises(NoMethodError) { connection.public_send(name) }
        assert_match(/\APG::Connection##{name} is not there: \w+.*guides/, error.message)
      end
      assert_equal "1", connection.exec("SELECT 1").getvalue(0, 0)
    end
  end

  def test_ways_to_connect
    uri, port = postgres_server.uri, postgres_server.port
    socket = Trunkline::PG.connect(uri) { |connection| connection.host }
    [[uri], ["host=#{socket} port=#{port} user=postgres dbname=postgres"], [{ host: socket, port: port, user: "postgres", dbname: "postgres" }], [socket, port, nil, nil, "postgres", "postgres", nil]].each do |arguments|
      assert_equal "1", (Trunkline::PG.connect(*arguments) { |connection| connection.exec("SELECT 1").getvalue(0, 0) })
    end
    assert_raises(Trunkline::PG::ConnectionBad) { Trunkline::PG.connect("host=/not/there") }
    assert_raises(Trunkline::PG::ConnectionBad) { Trunkline::PG.connect(uri, dbname: "not_there") }
  end

  # It is one connection of the server, whatever is asked.
  def test_a_connection_is_one_of_the_servers
    Trunkline::PG.connect(postgres_server.uri, application_name: unique_name) do |connection|
      pids = Array.new(3) { connection.exec("SELECT pg_backend_pid()").getvalue(0, 0) }
      connection.exec("SET a.b = 'kept'; CREATE TEMP TABLE mine (a int)")
      assert_equal 1, pids.uniq.size
      assert_equal [["kept", pids.first]], connection.exec("SELECT current_setting('a.b'), pg_backend_pid()").values
    end
  end

  def test_a_pool
    name = unique_name
    pool = Trunkline::PG::Pool.new(postgres_server.uri, connections: 2, max_connections: 4, application_name: name)
    assert_equal (1..20).map(&:to_s), (1..20).map { |number| Thread.new { pool.with { |connection| connection.exec_params("SELECT $1::int", [number]).getvalue(0, 0) } } }.map(&:value)
    pool.with do |connection|
      connection.exec("BEGIN; SET LOCAL a.b = 'mine'")
      pool.with { |same| assert_same connection, same }
    end
    assert_includes [nil, ""], (pool.with { |connection| connection.exec("SELECT current_setting('a.b', true)").getvalue(0, 0) })
    assert_operator sessions(name).size, :<=, 4
    assert_raises(RuntimeError) { pool.with { raise "left" } }
    pool.close
    assert_raises(Trunkline::PG::ConnectionBad) { pool.with { |connection| connection.exec("SELECT 1") } }
  end

  # A program that has only this library.
  def test_the_gem_is_not_needed
    program = 'require "trunkline"; c = Trunkline::PG.connect(ARGV[0]); c.type_map_for_results = Trunkline::PG::BasicTypeMapForResults.new(c); ' \
              'print c.exec("SELECT 1").getvalue(0, 0), $LOADED_FEATURES.grep(/pg_ext|gems.pg-/).size'
    output, status = Open3.capture2e({ "RUBYOPT" => "-w", "BUNDLE_GEMFILE" => nil }, RbConfig.ruby, "-Ilib", "-e", program, postgres_server.uri)
    assert_equal ["10", true], [output, status.success?]
  end

  private

  # @return [Object] what the program returns, or raises, in pg's names
  def outcome(pg, program)
    connection = pg.connect(postgres_server.uri)
    connection.exec("SET client_min_messages = notice")
    in_common_form(program.call(connection, pg))
  rescue pg::Error, ArgumentError, IndexError, TypeError => error
    fields = %i[PG_DIAG_SQLSTATE PG_DIAG_MESSAGE_PRIMARY PG_DIAG_STATEMENT_POSITION PG_DIAG_MESSAGE_HINT PG_DIAG_CONSTRAINT_NAME].map { |name| error.result&.error_field(pg.const_get(name)) } if error.respond_to?(:result)
    in_common_form([error.class.name, error.message, fields])
  ensure
    connection&.close unless connection&.finished? || connection.frozen?
  end

  def in_common_form(value)
    case value
    when Array then value.map { |element| in_common_form(element) }
    when Hash then value.to_h { |key, element| [key, in_common_form(element)] }
    when String then FORMS.reduce(value) { |text, (theirs, ours)| text.gsub(theirs, ours) }
    else value
    end
  end
end
