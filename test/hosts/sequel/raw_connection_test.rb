# frozen_string_literal: true

require "test_helper"
require "support/children"
require "support/sequel_host"

module Hosts
  module Sequel
    # What `synchronize` yields has pg's methods, as code and gems call them; its results and errors are pg's.
    class RawConnectionTest < Trunkline::TestCase
      include Children
      include Trunkline::SequelHost

      # The same on the stock adapter.
      CALLS = {
        "exec" => ->(conn) { conn.exec("SELECT 1 AS a, NULL AS b").to_a },
        "async_exec with a block" => ->(conn) { conn.async_exec("SELECT 'x' AS a") { |result| result.getvalue(0, 0) } },
        "exec_params" => ->(conn) { conn.exec_params("SELECT $1::int + 1 AS n, $2::text AS t", [41, nil]).values },
        "query" => ->(conn) { conn.query("SELECT 2").ftype(0) },
        "prepare, exec_prepared" => ->(conn) { conn.prepare("p", "SELECT $1::text") && conn.exec_prepared("p", ["ü"]).getvalue(0, 0) },
        "escape_string" => ->(conn) { conn.escape_string("a'b\\") },
        "escape_literal" => ->(conn) { conn.escape_literal("a'b") },
        "escape_identifier" => ->(conn) { conn.escape_identifier('a"b') },
        "quote_ident" => ->(conn) { conn.quote_ident("a.b") },
        "bytea" => ->(conn) { conn.unescape_bytea(conn.escape_bytea("\0\\'".b)) },
        "transaction_status" => ->(conn) { conn.transaction_status },
        "status" => ->(conn) { conn.status },
        "server_version" => ->(conn) { conn.server_version },
        "its place" => ->(conn) { [conn.db, conn.user, conn.port] },
        "backend_pid" => ->(conn) { [conn.backend_pid, conn.exec("SELECT pg_backend_pid()").getvalue(0, 0).to_i].uniq.size },
        "copy_data out" => ->(conn) { [].tap { |rows| conn.copy_data("COPY (VALUES (1), (2)) TO STDOUT") { while (row = conn.get_copy_data) do rows << row end } } },
        "copy_data in" => lambda { |conn|
          conn.exec("CREATE TEMPORARY TABLE copied (n int)")
          conn.copy_data("COPY copied FROM STDIN") { conn.put_copy_data("1\n2\n") }
          conn.exec("SELECT sum(n) FROM copied").getvalue(0, 0)
        },
        "notifications" => lambda { |conn|
          conn.exec("LISTEN raw")
          conn.exec("NOTIFY raw, 'said'")
          [conn.wait_for_notify(5) { |_, _, payload| break payload }, conn.exec("UNLISTEN raw").cmd_tuples]
        },
        "transaction" => ->(conn) { conn.transaction { |same| [same.equal?(conn), conn.transaction_status] } },
        "send_query" => ->(conn) { conn.send_query("SELECT 3") || conn.get_last_result.values },
        "type_map_for_results" => lambda { |conn|
          conn.type_map_for_results = ::PG::BasicTypeMapForResults.new(conn)
          conn.exec("SELECT 1, true").values.tap { conn.type_map_for_results = ::PG::TypeMapAllStrings.new }
        },
        "an error" => lambda { |conn|
          begin
            conn.exec("SELECT 1/0")
          rescue ::PG::DivisionByZero => error
            [error.class, error.message, error.result.error_field(::PG::PG_DIAG_SQLSTATE)]
          end
        },
        "its class" => ->(conn) { [::PG::Connection === conn, conn.is_a?(::PG::Connection), ::Sequel::Postgres::Adapter === conn, ::PG::Result === conn.exec("SELECT 1")] }
      }.freeze
      private_constant :CALLS

      def test_what_code_calls
        with_stock do |stock|
          with_sequel do |ours|
            CALLS.each do |name, call|
              expected, actual = [stock, ours].map { |db| db.synchronize(&call) }
              expected.nil? ? assert_nil(actual, name) : assert_equal(expected, actual, name)
            end
          end
        end
      end

      def test_it_is_the_connection_of_the_transaction
        with_sequel do |db|
          with_columns("n int") do |table|
            db.transaction(rollback: :always) do
              db.synchronize { |conn| conn.exec("INSERT INTO #{table} VALUES (1)") }
              assert_equal 1, db[table].count
            end
            assert_equal 0, db[table].count
          end
        end
      end

      def test_what_is_not_there_says_what_to_call
        with_sequel do |db|
          db.synchronize do |conn|
            assert_match(/pipeline_mode is not there: the queries of all callers are pipelined anyway/, assert_raises(NoMethodError) { conn.enter_pipeline_mode }.message)
            assert_match(/undefined method .nowhere. for.*Connection/, assert_raises(NoMethodError) { conn.nowhere }.message)
            refute_respond_to conn, :enter_pipeline_mode
            assert_respond_to conn, :exec_params
          end
        end
      end

      def test_it_ends_with_its_block
        with_sequel do |db|
          conn = db.synchronize(&:itself)
          assert_match(/the connection is closed/, assert_raises(::PG::ConnectionBad) { conn.exec("SELECT 1") }.message)
          assert_match(/closed>\z/, conn.inspect)
          assert_equal "I", db.synchronize { |one| one.finish || "I" }
          assert_equal 1, db.get(1)
        end
      end

      # Each condition is pg's too, whichever way it is asked for.
      def test_errors_are_those_of_pg_too
        with_sequel do |db|
          { "SELECT 1/0" => ::PG::DivisionByZero, "SELEC" => ::PG::SyntaxError, "SELECT 'x'::int" => ::PG::InvalidTextRepresentation }.each do |sql, kind|
            error = assert_raises(::Sequel::DatabaseError) { db.run(sql) }.wrapped_exception
            assert_kind_of kind, error
            assert_kind_of Trunkline::ServerError, error
            assert_operator kind, :===, error
            refute_kind_of ::PG::UniqueViolation, error
            refute_operator ::PG::UniqueViolation, :===, error
            assert_equal kind.new.class, begin
              raise error
            rescue ::PG::UniqueViolation, kind => rescued
              kind if rescued.equal?(error)
            end
            assert_equal error.sqlstate, error.result.error_field(::PG::PG_DIAG_SQLSTATE)
          end
        end
      end

      def test_a_lost_connection_is_pgs_too
        with_sequel do |db|
          error = assert_raises(::Sequel::DatabaseDisconnectError) do
            db.transaction { psql("SELECT pg_terminate_backend(#{db.synchronize(&:backend_pid)})") && db.run("SELECT 1") }
          end
          assert_kind_of ::PG::Error, error.wrapped_exception
        end
      end

      # Without the pg gem they are this library's, of the same names.
      def test_without_the_pg_gem
        program = "require 'sequel'; db = Sequel.connect(ARGV[0], keep_reference: false); db.synchronize { |conn| print conn.exec('SELECT 1').values, ' ', " \
                  "(conn.exec('SELEC') rescue $!.class), ' ', (db.run('SELEC') rescue $!.wrapped_exception.result.error_field(67)), ' ', defined?(PG).inspect }"
        output, = run_program(program, postgres_server.uri.sub(/\A\w+:/, "trunkline:"))
        assert_equal '[["1"]] Trunkline::PG::SyntaxError 42601 nil', output.lines.grep_v(/warning/).join
      end
    end
  end
end
