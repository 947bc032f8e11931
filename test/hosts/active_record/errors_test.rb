# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/wrong_statements"

module Hosts
  module ActiveRecord
    # Whatever goes wrong is of the class that the stock adapter raises, and so is its cause.
    class ErrorsTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      FAILURES = [
        "selec", "SELECT 1/0", "SELECT no_such_column", "SELECT * FROM no_such_table", "INSERT INTO THE_TABLE (id) VALUES (1)",
        "INSERT INTO THE_TABLE (name) VALUES (NULL)", "INSERT INTO THE_TABLE (name, code) VALUES ('a', 'abcdef')",
        "INSERT INTO THE_TABLE (name, parent) VALUES ('a', 99)", "SELECT 99999999999999999999::int8", "SELECT 'x'::int",
        "CREATE DATABASE postgres", "INSERT INTO THE_TABLE (name, age) VALUES ('a', -1)", "SET statement_timeout = 1; SELECT pg_sleep(10)",
        "LOCK TABLE THE_TABLE", "DO $$ BEGIN RAISE EXCEPTION 'own' USING ERRCODE = 'P0042', DETAIL = 'd', HINT = 'h'; END $$",
        "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$", "DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$", "DO $$ BEGIN RAISE SQLSTATE '55P03'; END $$"
      ].freeze
      COLUMNS = "id int PRIMARY KEY DEFAULT 1, name text NOT NULL DEFAULT 'x', code varchar(3), age int CHECK (age > 0)"
      private_constant :FAILURES, :COLUMNS

      def test_classes_and_causes_are_the_stock_adapters
        connect_stock
        with_table(COLUMNS) do |table|
          psql("ALTER TABLE #{table} ADD parent int REFERENCES #{table} (id); INSERT INTO #{table} (id) VALUES (1)")
          FAILURES.each do |failure|
            sql = failure.gsub("THE_TABLE", table)
            assert_equal(*[stock, ours].map { |connection| told(connection, sql) }, sql)
          end
        end
      end

      def test_warnings_reach_the_action_that_is_set
        warnings = []
        former = ::ActiveRecord.db_warnings_action
        ::ActiveRecord.db_warnings_action = ->(warning) { warnings << [warning.message, warning.code, warning.level] }
        connect
        ours.execute("DO $$ BEGIN RAISE WARNING 'executed'; RAISE NOTICE 'no warning'; END $$")
        ours.execute("DO $$ BEGIN RAISE WARNING 'again'; END $$")

        assert_equal [%w[executed 01000 WARNING], %w[again 01000 WARNING]], warnings
      ensure
        ::ActiveRecord.instance_variable_set(:@db_warnings_action, former)
      end

      def test_positions_are_shown_as_by_the_stock_adapter
        connect_stock
        WrongStatements.all.each_slice(20).flat_map { |sample| sample.first(2) }.each do |sql|
          assert_equal(*[stock, ours].map { |connection| told(connection, sql) { connection.exec_query(sql, "SQL", [], prepare: true) } }, sql)
        end
      end

      # An EXPLAIN of a statement without its parameters, as pghero asks it, and one too many: the first time and when the statement is known.
      def test_parameters_that_are_missing_or_too_many
        connect_stock
        { ["EXPLAIN SELECT * FROM pg_class WHERE oid = $1"] => "PG::UndefinedParameter", ["SELECT $1::int + $2::int", [1]] => "PG::ProtocolViolation" }.each do |asked, name|
          2.times do
            told = [stock, ours].map do |connection|
              assert_raises(::ActiveRecord::StatementInvalid) { asked.one? ? connection.execute(*asked) : connection.exec_query(asked[0], "SQL", asked[1], prepare: false) }
            end
            assert_equal [name] * 2, told.map { |error| error.cause.class.name }
            assert_equal(*told.map { |error| error.cause.result.error_field(::PG::PG_DIAG_SQLSTATE) })
          end
        end
        assert_equal 1, ours.select_value("SELECT 1")
      end

      def test_a_password_is_not_shown_with_its_line
        message = assert_raises(::ActiveRecord::StatementInvalid) { ours.execute("CREATE ROLE ada PASSWORD 'hunter2' NO SUCH OPTION") }.message
        assert_match(/at character \d+\n\z/, message)
        refute_includes message, "hunter2"
      end

      # ActiveRecord writes values into some of its statements; what tracks errors shows their causes too.
      def test_no_message_shows_the_statement
        failures = ["SELEC 'a' || 1, 'hunter2'", "SELECT lastval(), 'hunter2'", "SELECT 'hunter2'", "SELECT pg_terminate_backend(pg_backend_pid()), 'hunter2'"]
        failures.each do |sql|
          error = assert_raises(::ActiveRecord::ActiveRecordError, ::PG::Error, sql) { sql.start_with?("SELECT '") ? in_lost_transaction(sql) : ours.execute(sql) }
          until error.nil?
            refute_includes error.message.lines.grep_v(/^LINE 1/).join, "hunter2", "#{error.class} of #{sql}"
            error = error.cause
          end
        end
      end

      def test_without_values
        connect(errors: "without_values")
        error = assert_raises(::ActiveRecord::StatementInvalid) { ours.exec_query("SELECT $1::int", "SQL", ["hunter2"], prepare: true) }
        assert_equal "PG::InvalidTextRepresentation: ERROR:  invalid input syntax for type integer: \"***\"\n", error.message.sub(/^CONTEXT.*\n/, "")
      end

      def test_what_trunkline_has_to_say_is_the_causes_cause
        error = assert_raises(::ActiveRecord::StatementInvalid) { ours.execute("selec") }
        assert_instance_of Trunkline::SyntaxError, error.cause.cause
        assert_equal ["42601", "selec"], [error.cause.result.error_field(::PG::PG_DIAG_SQLSTATE), error.sql]
      end

      def test_a_database_that_is_not_there
        connect(database: "no_such_database")
        error = assert_raises(::ActiveRecord::NoDatabaseError) { ours.select_value("SELECT 1") }
        assert_includes error.message, "no_such_database"
      end

      def test_a_user_that_may_not
        connect(username: "absent_role")
        error = assert_raises(::ActiveRecord::DatabaseConnectionError) { ours.select_value("SELECT 1") }
        assert_includes error.message, "absent_role"
      end

      def test_a_server_that_is_not_there
        connect(host: "127.0.0.1", port: 1)
        assert_raises(::ActiveRecord::ConnectionNotEstablished) { ours.select_value("SELECT 1") }
      end

      def test_connections_that_are_refused_are_of_the_stock_adapters_classes
        with_refusals do |refusals|
          refusals.each do |options|
            stocks, our_own = refused_with(database: "open_to_all", **options)
            assert_equal stocks.class, our_own.class, options.inspect
          end
        end
      end

      # Of the database postgres the stock adapter tells a class that those here are subclasses of.
      def test_connections_that_are_refused_to_the_database_postgres
        [{ username: "absent_role" }, { host: "127.0.0.1", port: 1 }, { options: "-c nowhere=1" }].each do |options|
          stocks, our_own = refused_with(**options)
          assert_kind_of stocks.class, our_own, options.inspect
        end
      end

      def test_a_lost_connection_costs_a_query_nothing
        assert_equal 1, ours.select_value("SELECT 1")
        lose_connections
        assert_equal 2, ours.select_value("SELECT 2")
      end

      # Nothing of it goes on outside of the transaction, whatever is rescued.
      def test_a_connection_lost_in_a_transaction
        with_model("name text") do |model|
          assert_raises(::ActiveRecord::ConnectionFailed, ::ActiveRecord::ConnectionNotEstablished) do
            model.transaction do
              model.create!(name: "lost")
              lose_connections
              begin
                model.create!(name: "lost too")
              rescue ::ActiveRecord::ActiveRecordError
                nil
              end
              model.create!(name: "no transaction any more")
            end
          end
          assert_equal 0, model.count
          model.transaction { model.create!(name: "Ada") }
          assert_equal ["Ada"], model.pluck(:name)
        end
      end

      def test_text_that_cannot_be_sent
        error = assert_raises(::ActiveRecord::StatementInvalid) { ours.execute("SELECT '\xFF'") }
        assert_instance_of ::PG::CharacterNotInRepertoire, error.cause
        assert_raises(ArgumentError) { ours.select_value("SELECT $1::text", nil, ["a\0b"]) }
      end

      def test_a_deadline
        error = assert_raises(::ActiveRecord::QueryCanceled) { Trunkline.deadline(0.1) { ours.execute("SELECT pg_sleep(60)") } }
        assert_instance_of Trunkline::Deadline, error.cause.cause
      end

      def test_a_transaction_in_two_fibers_at_once
        ActiveSupport::IsolatedExecutionState.isolation_level = :thread # one connection for all fibers, as where it was forgotten
        Sync do |task|
          Ours.transaction do
            ours.execute("SELECT 1")
            slow = task.async { ours.execute("SELECT pg_sleep(0.5)") }
            error = assert_raises(::ActiveRecord::StatementInvalid) { ours.execute("SELECT 2") }
            assert_instance_of Trunkline::SharedStateError, error.cause.cause
            slow.wait
          end
        end
      end

      private

      def in_lost_transaction(sql)
        ours.transaction do
          psql("SELECT pg_terminate_backend(#{ours.raw_connection.backend_pid})")
          ours.execute(sql)
        end
      end

      def with_refusals
        psql("CREATE DATABASE closed_to_all; CREATE DATABASE open_to_all; REVOKE CONNECT ON DATABASE closed_to_all FROM PUBLIC; CREATE ROLE visitor LOGIN; " \
             "CREATE ROLE sleeper NOLOGIN; CREATE ROLE crowd LOGIN CONNECTION LIMIT 0")
        yield [{ database: "no_such_database" }, { database: "template0" }, { username: "visitor", database: "closed_to_all" }, { username: "absent_role" },
               { username: "sleeper" }, { username: "crowd" }, { host: "127.0.0.1", port: 1 }, { host: "/nowhere" }, { options: "-c nowhere=1" },
               { options: "-c work_mem=plenty" }]
      ensure
        psql("DROP DATABASE closed_to_all; DROP DATABASE open_to_all; DROP ROLE visitor, sleeper, crowd")
      end

      def refused_with(**options)
        connect(**options)
        connect_stock(**options)
        [Stock, Ours].map { |base| assert_raises(::ActiveRecord::ActiveRecordError) { base.connection.select_value("SELECT 1") } }
      end

      def told(connection, sql)
        block_given? ? yield : connection.execute(sql)
        flunk "no error: #{sql}"
      rescue ::ActiveRecord::ActiveRecordError => error
        result = error.cause.result
        [error.class, error.cause.class, result.error_field(::PG::PG_DIAG_SQLSTATE), result.error_field(::PG::PG_DIAG_CONSTRAINT_NAME),
         error.message, error.sql]
      ensure
        connection.execute("RESET statement_timeout")
      end

      def lose_connections
        pids = sessions(@application)
        postgres_server.terminate(*pids)
      end
    end
  end
end
