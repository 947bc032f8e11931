# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # What the raw connection and its results have of pg's, with pg beside it: each call gives the same, or raises an error of the same class, or the
    # connection does not respond to it.
    class RawResultsTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      QUERY = "SELECT oid, relname AS name, NULL::int AS none, '2020-01-01'::date AS d, '{1,2}'::int[] AS a, '{\"a\": 1}'::jsonb AS j, true AS b, 1.50::numeric(5,2) AS n " \
              "FROM pg_class WHERE relname IN ('pg_class', 'pg_type') ORDER BY relname"
      # Of a result.
      READS = {
        "values" => ->(result) { result.values }, "each" => ->(result) { result.map(&:itself) }, "each_row" => ->(result) { result.each_row.to_a }, "[]" => ->(result) { [result[0], result[1]["name"]] },
        "no such row" => ->(result) { result[7] }, "getvalue" => ->(result) { result.getvalue(1, 1) }, "no such value" => ->(result) { result.getvalue(9, 0) }, "getisnull" => ->(result) { [result.getisnull(0, 2), result.getisnull(0, 0)] },
        "getlength" => ->(result) { Array.new(8) { |column| result.getlength(0, column) } }, "fields" => ->(result) { [result.fields, result.fields.frozen?] }, "fname" => ->(result) { result.fname(1) },
        "no such name" => ->(result) { result.fname(8) }, "fnumber" => ->(result) { result.fnumber("none") }, "no such number" => ->(result) { result.fnumber("other") }, "ftype" => ->(result) { Array.new(8) { |column| result.ftype(column) } },
        "fmod" => ->(result) { Array.new(8) { |column| result.fmod(column) } }, "fsize" => ->(result) { [result.fsize(0), result.fsize(1), result.fsize(7)] }, "fformat" => ->(result) { result.fformat(0) },
        "ftable" => ->(result) { [result.ftable(0), result.ftable(2)] }, "ftablecol" => ->(result) { [result.ftablecol(0), result.ftablecol(1), result.ftablecol(2)] }, "ntuples" => ->(result) { [result.ntuples, result.num_tuples, result.nfields, result.num_fields] },
        "count" => ->(result) { [result.count, result.count { |row| row["none"].nil? }] }, "cmd_tuples" => ->(result) { [result.cmd_tuples, result.cmdtuples] }, "cmd_status" => ->(result) { result.cmd_status },
        "result_status" => ->(result) { [result.result_status, result.res_status, result.res_status(2), result.res_status(99)] }, "error_message" => ->(result) { [result.error_message, result.result_error_message] },
        "oid_value" => ->(result) { result.oid_value }, "nparams" => ->(result) { result.nparams }, "binary_tuples" => ->(result) { result.binary_tuples }, "column_values" => ->(result) { result.column_values(1) },
        "field_values" => ->(result) { result.field_values("name") }, "no such field" => ->(result) { result.field_values("other") }, "tuple" => ->(result) { result.tuple(1).then { |tuple| [tuple["name"], tuple[2], tuple.keys, tuple.values, tuple.to_h] } },
        "tuple_values" => ->(result) { result.tuple_values(1) }, "no such tuple" => ->(result) { result.tuple(5) }, "field_names_as" => ->(result) { result.field_names_as(:symbol).then { |one| [one.fields, one.first.keys] } },
        "field_name_type" => ->(result) { [result.field_name_type, (result.field_name_type = :symbol), result.fields] }, "no such type of names" => ->(result) { result.field_name_type = :other },
        "map_types!" => ->(result) { result.map_types!(::PG::TypeMapByColumn.new([::PG::TextDecoder::Integer.new, *[nil] * 7])).values }, "type_map=" => ->(result) { (result.type_map = ::PG::TypeMapAllStrings.new) && result.values },
        "type_map" => ->(result) { result.type_map.class }, "is it a result" => ->(result) { [::PG::Result === result, result.is_a?(::PG::Result), result.kind_of?(Enumerable)] }, "check" => ->(result) { [result.check.equal?(result), result.check_result.equal?(result)] },
        "clear" => ->(result) { [result.cleared?, result.autoclear?, result.clear, result.cleared?] }, "cleared" => ->(result) { result.clear && result.values }, "cleared, of nothing" => ->(result) { result.tap(&:clear).ntuples },
        "stream_each" => ->(result) { result.stream_each.to_a }, "to_a" => ->(result) { result.to_a }, "first" => ->(result) { [result.first, result.first(1), result.include?({})] }, "error_field" => ->(result) { result.error_field(::PG::PG_DIAG_SQLSTATE) },
        "freeze" => ->(result) { result.freeze.values.size }
      }.freeze
      # Of a connection.
      CALLS = {
        "binary" => ->(raw) { raw.exec_params("SELECT '\\x0001'::bytea, $1::int4", [7], 1).then { |result| [result.values, result.fformat(0), result.binary_tuples] } },
        "conninfo_hash" => ->(raw) { raw.conninfo_hash.slice(:host, :port, :dbname, :user) }, "conninfo" => ->(raw) { raw.conninfo.map { |one| one[:keyword] }.include?("host") },
        "send_query" => ->(raw) { raw.send_query("SELECT 1 AS a; SELECT 2 AS b") && nil || Array.new(3) { raw.get_result&.values } }, "send_query_params" => ->(raw) { raw.send_query_params("SELECT $1::int", [3]) || raw.get_last_result.values },
        "send_query twice" => ->(raw) { raw.send_query("SELECT 1") || (raw.send_query("SELECT 2") rescue $!.class) }, "single row" => ->(raw) { raw.send_query("SELECT generate_series(1, 3) AS n") || (raw.set_single_row_mode && raw.get_result.stream_each.to_a) },
        "stream_each_row" => ->(raw) { raw.send_query("SELECT generate_series(1, 3), 'x'") || (raw.set_single_row_mode && raw.get_result.stream_each_row.to_a) },
        "stream_each_tuple" => ->(raw) { raw.send_query("SELECT generate_series(1, 3) AS n") || (raw.set_single_row_mode && raw.get_result.stream_each_tuple.map(&:to_h)) },
        "an error in single rows" => ->(raw) { raw.send_query("SELECT 1 / (2 - generate_series(1, 3)) AS n") || (raw.set_single_row_mode && raw.get_result.stream_each.to_a) },
        "is_busy" => ->(raw) { raw.send_query("SELECT pg_sleep(0)") || [raw.consume_input, raw.block, raw.is_busy, raw.get_last_result.ntuples] }, "types of results" => ->(raw) { raw.type_map_for_results.class },
        "maps of results" => ->(raw) { with_map(raw) { raw.exec("SELECT '2020-01-01'::date, 1, '{1,2}'::int[]").values } },
        "not a map" => ->(raw) { raw.type_map_for_results = 1 }, "field names" => ->(raw) { [(raw.field_name_type = :symbol), raw.exec("SELECT 1 AS a").to_a, (raw.field_name_type = :string)] }, "prepared" => ->(raw) { raw.prepare("raw", "SELECT $1::int4 AS a") && raw.exec_prepared("raw", [1]).to_a },
        "described" => ->(raw) { raw.prepare("described", "SELECT $1::int4 AS a") && raw.describe_prepared("described").then { |result| [result.nparams, result.paramtype(0), result.ftype(0), result.fields] } },
        "prepared twice" => ->(raw) { 2.times { raw.prepare("twice", "SELECT 1") } }, "not prepared" => ->(raw) { raw.exec_prepared("none") }, "several" => ->(raw) { raw.exec("SELECT 1; SELECT 2 AS b").to_a }, "nothing" => ->(raw) { raw.exec("").result_status },
        "an error" => ->(raw) { raw.exec("SELECT 1 / 0") }, "several with parameters" => ->(raw) { raw.exec_params("SELECT 1; SELECT $1::int", [1]) }, "too few parameters" => ->(raw) { raw.exec_params("SELECT $1::int, $2::int", [1]) },
        "not an Array" => ->(raw) { raw.exec_params("SELECT $1::int", 1) }, "not a String" => ->(raw) { raw.exec(nil) }, "typed parameters" => ->(raw) { raw.exec_params("SELECT $1", [{ value: "5", type: 23, format: 0 }]).then { |result| [result.values, result.ftype(0)] } },
        "binary parameters" => ->(raw) { raw.exec_params("SELECT $1::int4", [{ value: [7].pack("N"), type: 23, format: 1 }]).values }, "transaction" => ->(raw) { [raw.transaction { raw.transaction_status }, raw.transaction_status] },
        "a failed transaction" => ->(raw) { raw.transaction { raw.exec("SELECT 1 / 0") } }, "status" => ->(raw) { [raw.status, raw.finished?, raw.server_version / 10_000, raw.parameter_status("server_encoding"), raw.internal_encoding, raw.external_encoding] },
        "quoting" => ->(raw) { [raw.quote_ident("a\"b"), raw.escape_literal("it's"), raw.escape_string("it's"), raw.escape_identifier("A b"), raw.escape_bytea("\0\xFF".b), raw.unescape_bytea("\\x00ff")] },
        "large objects" => ->(raw) { raw.transaction { raw.lo_creat.then { |oid| raw.lo_open(oid, ::PG::INV_WRITE).then { |place| [raw.lo_write(place, "some"), raw.lo_close(place), raw.lo_unlink(oid)] } } } },
        "copy out" => ->(raw) { [].tap { |lines| raw.copy_data("COPY (SELECT generate_series(1, 2)) TO STDOUT") { while (line = raw.get_copy_data) do lines << line end } } }
      }.freeze
      private_constant :QUERY, :READS, :CALLS

      def self.with_map(raw)
        kept = raw.type_map_for_results
        raw.type_map_for_results = ::PG::BasicTypeMapForResults.new(raw)
        yield
      ensure
        raw.type_map_for_results = kept
      end

      def setup
        super
        connect_stock
        connect(application_name: nil)
      end

      def test_results = assert_same(READS.transform_values { |read| ->(raw) { read.call(raw.exec(QUERY)) } })
      def test_connections = assert_same(CALLS)

      # What it does not respond to raises an error that says so.
      def test_respond_to_agrees
        absent, there = ::PG::Connection.public_instance_methods(false).partition { |name| !ours.raw_connection.respond_to?(name) }
        absent.each { |name| assert_includes assert_raises(NoMethodError, name) { ours.raw_connection.public_send(name) }.message, "##{name} is not there" }
        assert_operator there.size, :>, 140
        assert_empty(::PG::Result.public_instance_methods(false).reject { |name| ours.raw_connection.exec("SELECT 1").respond_to?(name) })
      end

      private

      def assert_same(calls)
        theirs, mine = [stock, ours].map { |adapter| calls.transform_values { |call| outcome(adapter, call) } }
        assert_equal theirs, mine
      end

      # Each on a connection of its own.
      def outcome(adapter, call)
        adapter.reconnect!
        self.class.instance_exec(adapter.raw_connection, &call)
      rescue ::PG::Error, ArgumentError, TypeError, IndexError, NoMethodError => error
        [error.class, error.is_a?(::PG::Error) ? error.message.lines.first : nil]
      end
    end
  end
end
