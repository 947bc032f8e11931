# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # raw_connection has what applications and gems call of pg's, and does as pg does.
    class RawConnectionTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      def raw = ours.raw_connection

      def test_it_is_one_of_pgs_by_its_class
        assert_kind_of ::PG::Connection, raw
        assert_equal [::PG::CONNECTION_OK, ::PG::PQTRANS_IDLE, false], [raw.status, raw.transaction_status, raw.finished?]
        assert_equal ["postgres", "postgres", postgres_server.port], [raw.db, raw.user, raw.port]
      end

      def test_queries
        assert_equal [{ "a" => 1 }], raw.exec("SELECT 1 AS a").to_a
        assert_equal [[3]], raw.exec_params("SELECT $1::int + $2::int", [1, "2"]).values
        assert_equal "\x00\xFF".b, raw.unescape_bytea(raw.exec_params("SELECT $1::bytea", [{ value: "\x00\xFF".b, format: 1 }]).getvalue(0, 0))
        raw.prepare("one", "SELECT $1::int")
        assert_equal 7, raw.exec_prepared("one", [7]).getvalue(0, 0)
        assert_equal :block, raw.exec("SELECT 1") { |result| result.ntuples == 1 && :block }
        assert_raises(::PG::InvalidSqlStatementName) { raw.exec_prepared("two") }
        assert_raises(::PG::SyntaxError) { raw.exec("selec") }
      end

      def test_a_transaction
        with_model("name text") do |model|
          raw.transaction { |connection| connection.exec("INSERT INTO #{model.table_name} (name) VALUES ('kept')") }
          assert_raises(RuntimeError) do
            raw.transaction do |connection|
              connection.exec("INSERT INTO #{model.table_name} (name) VALUES ('lost')")
              raise "undone"
            end
          end
          assert_equal [["kept"]], raw.exec("SELECT name FROM #{model.table_name}").values
          refute_predicate raw, :pinned?
        end
      end

      def test_escaping
        connect_stock
        ["O'Reilly", "back\\slash", "", "Zoë"].each do |text|
          %i[escape_string escape_literal escape_identifier].each do |verb|
            next if verb == :escape_identifier && text.empty?

            expected = verb == :escape_literal && text.include?("\\") ? "'back\\slash'" : stock.raw_connection.public_send(verb, text)
            assert_equal expected, raw.public_send(verb, text), [verb, text].inspect
          end
          assert_equal text, raw.exec("SELECT #{raw.escape_literal(text)}").getvalue(0, 0)
        end
        assert_equal stock.raw_connection.escape_bytea("\x00'\\".b), raw.escape_bytea("\x00'\\".b)
        assert_raises(ArgumentError) { raw.escape_string("\0") }
      end

      # Where a session reads backslashes in another way, so are they written.
      def test_escaping_where_backslashes_mean_something
        raw.exec("SET standard_conforming_strings = off; SET escape_string_warning = off")
        ["\\' OR 1 = 1 --", "\\", "'"].each { |text| assert_equal text, raw.exec("SELECT '#{raw.escape_string(text)}'").getvalue(0, 0) }
        assert_equal "\x00\\".b, raw.unescape_bytea(raw.exec("SELECT '#{raw.escape_bytea("\x00\\".b)}'::bytea").getvalue(0, 0))
      end

      def test_copy
        with_model("name text") do |model|
          raw.copy_data("COPY #{model.table_name} (id, name) FROM STDIN") do
            raw.put_copy_data("1\tAda\n")
            raw.put_copy_data("2\tGrace\n")
          end
          raw.copy_data("COPY #{model.table_name} (id, name) FROM STDIN", ::PG::TextEncoder::CopyRow.new) { raw.put_copy_data([3, nil]) }
          assert_equal [[1, "Ada"], [2, "Grace"], [3, nil]], model.order(:id).pluck(:id, :name)
          lines = []
          raw.copy_data("COPY (SELECT id FROM #{model.table_name} ORDER BY id) TO STDOUT", ::PG::TextDecoder::CopyRow.new) do
            while (line = raw.get_copy_data) do lines << line end
          end
          assert_equal [["1"], ["2"], ["3"]], lines
          refute_predicate raw, :pinned?
        end
      end

      def test_a_copy_that_is_left_has_stored_nothing
        with_model("name text") do |model|
          assert_raises(RuntimeError) do
            raw.copy_data("COPY #{model.table_name} (name) FROM STDIN") do
              raw.put_copy_data("lost\n")
              raise "left"
            end
          end
          assert_raises(::PG::BadCopyFileFormat) { raw.copy_data("COPY #{model.table_name} (name) FROM STDIN") { raw.put_copy_data("1\t2\n") } }
          assert_raises(::PG::NotAllCopyDataRetrieved) { raw.copy_data("COPY (SELECT 1) TO STDOUT") { nil } }
          assert_equal ::PG::PGRES_COPY_IN, ours.execute("COPY #{model.table_name} FROM STDIN").result_status
          assert_equal 0, model.count
        end
      end

      def test_notifications
        raw.exec("LISTEN made")
        assert_nil raw.notifies
        assert_nil raw.wait_for_notify(0.01)
        psql("NOTIFY made, 'first'; NOTIFY made, 'second'")
        told = []
        2.times { assert_equal "made", raw.wait_for_notify(60) { |channel, pid, payload| told << [channel, pid.class, payload] } }
        assert_equal [["made", Integer, "first"], ["made", Integer, "second"]], told
        assert_equal 1, ours.select_value("SELECT 1")
      end

      def test_notices
        messages = []
        raw.set_notice_processor { |message| messages << message }
        raw.exec("DO $$ BEGIN RAISE WARNING 'mind'; END $$")
        assert_equal ["WARNING:  mind\n"], messages.map { |message| message.lines.first }
      end

      def test_a_backend_of_its_own_from_backend_pid_on
        pid = raw.backend_pid
        assert_equal [pid, pid], Array.new(2) { ours.select_value("SELECT pg_backend_pid()") }
        Ours.connection_handler.clear_active_connections!
        refute_predicate Ours.connection_pool.with_connection(&:raw_connection), :pinned?
      end

      # No statement asks for it: a transaction that has failed takes none.
      def test_a_backend_in_a_failed_transaction
        raw.exec("BEGIN")
        pid = raw.backend_pid
        assert_raises(::PG::SyntaxError) { raw.exec("selec") }
        assert_equal [pid, ::PG::PQTRANS_INERROR], [raw.backend_pid, raw.transaction_status]
        raw.exec("ROLLBACK")
      end

      def test_its_results_are_pgs
        result = raw.exec("SELECT '2020-01-01'::date AS d, '{1,2}'::int[] AS a, 1.50 AS n")
        assert_equal [true, true, true, false], [::PG::Result === result, result.is_a?(::PG::Result), ::PG::Result === ours.execute("SELECT 1"), ::PG::Result === 1]
        assert_equal [Date, [1, 2], BigDecimal("1.5")], result.map_types!(::PG::BasicTypeMapForResults.new(raw)).values.first.then { |date, *others| [date.class, *others] }
        assert_equal ["2020-01-01", "{1,2}", "1.50"], result.map_types!(::PG::TypeMapAllStrings.new).values.first
        assert_equal "\0\1".b, raw.exec_params("SELECT '\\x0001'::bytea", [], 1).getvalue(0, 0)
        assert_equal %w[SELECT\ 1 PGRES_TUPLES_OK], [result.cmd_status, result.res_status]
      end

      # Its maps by Ruby code, and by classes, are asked as they are with libpq's results.
      def test_type_maps_of_the_pg_gem
        queries = raw.type_map_for_queries
        doubled = Class.new(::PG::TypeMapInRuby) { def typecast_result_value(result, row, column) = [super, result.ftype(column)] }.new
        assert_equal [[["1", 23], ["x", 25]]], raw.exec("SELECT 1, 'x'::text").map_types!(doubled).values
        strict = Class.new(::PG::SimpleDecoder) { def decode(text, _row = nil, _column = nil) = Integer(text) }.new(oid: 23)
        assert_equal [[nil]], raw.exec("SELECT NULL::int").map_types!(::PG::TypeMapByOid.new.add_coder(strict)).values
        raw.type_map_for_queries = ::PG::BasicTypeMapForQueries.new(raw)
        assert_equal [["{1,2}", true, "{\"a\": 1}"]], raw.exec_params("SELECT $1::int[], $2, $3::jsonb", [[1, 2], true, { "a" => 1 }]).values
      ensure
        raw.type_map_for_queries = queries
      end

      def test_results_one_by_one
        raw.send_query("SELECT n FROM generate_series(1, 3) n")
        raw.set_single_row_mode
        assert_equal [1, 2, 3], raw.get_result.stream_each.map { |row| row["n"] }
        assert_nil raw.get_result
        assert_equal 1, ours.select_value("SELECT 1")
        refute_predicate raw, :pinned?
      end

      def test_what_is_not_there_says_so
        %i[enter_pipeline_mode trace set_error_verbosity connect_poll].each do |name|
          refute_respond_to raw, name
          assert_includes assert_raises(NoMethodError) { raw.public_send(name) }.message, "PG::Connection##{name} is not there"
        end
      end
    end
  end
end
