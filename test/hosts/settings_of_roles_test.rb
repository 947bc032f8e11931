# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/pgbouncer"
require "support/sequel_host"

module Hosts
  # Every setting that a role and a database have holds in a connection as it does for the pg gem, and in the adapters as in the stock ones, but
  # for those by which values are read and SQL is quoted.
  class SettingsOfRolesTest < Trunkline::TestCase
    include Trunkline::SequelHost

    # In each the server's default is another one.
    SET = {
      "DateStyle" => "SQL, DMY", "IntervalStyle" => "sql_standard", "TimeZone" => "Asia/Tokyo", "extra_float_digits" => "-2", "client_encoding" => "LATIN1",
      "standard_conforming_strings" => "off", "escape_string_warning" => "off", "backslash_quote" => "on", "bytea_output" => "escape", "client_min_messages" => "error",
      "search_path" => "other", "statement_timeout" => "77s", "lock_timeout" => "66s", "idle_in_transaction_session_timeout" => "11min", "lc_monetary" => "C.UTF-8",
      "default_transaction_read_only" => "on", "default_transaction_isolation" => "serializable", "default_transaction_deferrable" => "on", "xmlbinary" => "hex",
      "xmloption" => "document", "array_nulls" => "off", "transform_null_equals" => "on", "quote_all_identifiers" => "on", "work_mem" => "5MB",
      "synchronous_commit" => "local", "plan_cache_mode" => "force_custom_plan", "timezone_abbreviations" => "Australia", "session_replication_role" => "replica",
      "row_security" => "off", "check_function_bodies" => "off", "default_text_search_config" => "simple", "geqo" => "off", "trunkline.own" => "kept"
    }.freeze
    # By what holds in place of the role's.
    OWN = { "client_encoding" => "UTF8", "DateStyle" => "ISO, DMY", "IntervalStyle" => "postgres", "extra_float_digits" => "3", "standard_conforming_strings" => "on" }.freeze
    # Of the stock adapters; what they leave alone is the role's.
    ACTIVE_RECORD = { "client_encoding" => "UTF8", "DateStyle" => "ISO, DMY", "extra_float_digits" => "3" }.freeze
    SEQUEL = { "client_encoding" => "UTF8", "IntervalStyle" => "postgres", "extra_float_digits" => "3", "client_min_messages" => "error" }.freeze
    # The name of the application is the program's, whose it is here tells nothing.
    QUESTION = "SELECT name, setting FROM pg_catalog.pg_settings WHERE name <> 'application_name' " \
               "UNION ALL SELECT 'trunkline.own', pg_catalog.current_setting('trunkline.own', true)"
    private_constant :SET, :OWN, :ACTIVE_RECORD, :SEQUEL, :QUESTION

    ["ROLE odd_settings", "DATABASE odd_settings"].each do |holder|
      define_method("test_of_a_#{holder[/\w+/].downcase}") do
        with_settings(holder) do
          stock = by_pg
          assert_empty SET.keys - departures(by_pg(uri: postgres_server.uri), stock).keys
          by_client { |settings| assert_equal OWN, departures(stock, settings) }
          assert_equal SEQUEL, departures(by_sequel("postgres"), by_sequel("trunkline"))
          assert_equal ACTIVE_RECORD, departures(by_active_record("postgresql"), by_active_record("trunkline"))
        end
      end
    end

    # It takes what the server reports for its own, and refuses to set the rest.
    def test_of_a_database_through_pgbouncer
      with_settings("DATABASE odd_settings", SET.except("IntervalStyle", "extra_float_digits")) do
        PgBouncer.open(postgres_server, pool: 1) do |pooler|
          stock = by_pg(uri: pooled = pooler.uri.sub(/postgres\z/, "odd_settings"))
          by_client(uri: pooled, session: false) { |settings| assert_equal OWN.except("IntervalStyle", "extra_float_digits"), departures(stock, settings) }
          by_active_record("trunkline", prepared_statements: false, host: "127.0.0.1", port: pooled[/:(\d+)/, 1]) do |connection, settings|
            assert_equal({ "TimeZone" => "UTC", **OWN.slice("client_encoding", "DateStyle", "standard_conforming_strings") }, departures(stock, settings))
            assert_equal ["P1Y2DT-0.5S", "{P1D}"], connection.select_rows("SELECT '1 year 2 days -0.5 s'::interval, '{1 day}'::interval[]")[0]
          end
          by_sequel("trunkline", host: "127.0.0.1", port: pooled[/:(\d+)/, 1]) do |db, settings|
            assert_equal OWN.slice("client_encoding", "DateStyle", "standard_conforming_strings"), departures(stock, settings)
            assert_equal [1, 2], db.get(Sequel.lit("'01/02/2024'::date")).then { |date| [date.day, date.month] }
          end
        end
      end
    end

    def test_what_cannot_be_read_through_pgbouncer
      { "IntervalStyle" => "sql_standard", "extra_float_digits" => "-2" }.each do |name, value|
        with_settings("DATABASE odd_settings", name => value) do
          PgBouncer.open(postgres_server, pool: 1) do |pooler|
            error = assert_raises(Trunkline::ConnectionError) { Trunkline.postgres(pooler.uri.sub(/postgres\z/, "odd_settings")) { |db| db.query("SELECT 1") } }
            assert_match(/the pooler did not let IntervalStyle and extra_float_digits be set.* ALTER ROLE/, error.message)
            refute_predicate error, :retriable?
          end
        end
      end
    end

    # What was asked for is not left out.
    def test_what_pgbouncer_refuses
      PgBouncer.open(postgres_server, pool: 1) do |pooler|
        error = assert_raises(Trunkline::LoginError) { Trunkline.postgres(pooler.uri, options: "-c work_mem=5MB") { |db| db.query("SELECT 1") } }
        assert_match(/unsupported startup parameter.*\bHINT:  The pooler does not accept this startup parameter.* ALTER ROLE/m, error.detailed_message)
        [{ variables: { work_mem: "5MB" } }, { min_messages: "error" }, { schema_search_path: "other" }].each do |asked|
          error = assert_raises(::ActiveRecord::ConnectionNotEstablished) { by_active_record("trunkline", host: "127.0.0.1", port: pooler.uri[/:(\d+)/, 1], **asked) }
          assert_match(/unsupported startup parameter.*HINT: .*ALTER ROLE/m, error.message)
        end
        error = assert_raises(Sequel::DatabaseConnectionError) { with_sequel(host: "127.0.0.1", port: pooler.uri[/:(\d+)/, 1], search_path: "other") { |db| db.get(1) } }
        assert_match(/unsupported startup parameter.*HINT: .*ALTER ROLE/m, error.message)
      end
    end

    # From 1.20 on it lets clients set that one.
    def test_an_interval_style_that_is_requested_through_pgbouncer
      with_settings("DATABASE odd_settings", {}) do
        PgBouncer.open(postgres_server, pool: 1) do |pooler|
          asked = -> { by_active_record("trunkline", prepared_statements: false, host: "127.0.0.1", port: pooler.uri[/:(\d+)/, 1], variables: { IntervalStyle: "iso_8601" }) }
          next assert_equal "iso_8601", asked.call["IntervalStyle"] if PgBouncer.tracks_interval_style?

          error = assert_raises(::ActiveRecord::ConnectionNotEstablished, &asked)
          assert_match(/unsupported startup parameter.*HINT: .*ALTER ROLE/m, error.message)
        end
      end
    end

    private

    def departures(expected, settings) = settings.reject { |name, value| expected[name] == value }

    def with_settings(holder, settings = SET)
      postgres_server.psql("CREATE ROLE odd_settings LOGIN SUPERUSER")
      postgres_server.psql("CREATE DATABASE odd_settings")
      postgres_server.psql(settings.map { |name, value| "ALTER #{holder} SET #{name} = '#{value}';" }.join)
      yield
    ensure
      postgres_server.drop_database("odd_settings")
      postgres_server.psql("DROP ROLE odd_settings")
    end

    def uri = postgres_server.uri(user: "odd_settings", dbname: "odd_settings")

    def by_pg(uri: self.uri)
      connection = PG.connect(uri)
      connection.exec(QUESTION).values.to_h
    ensure
      connection&.close
    end

    # Shared, in a transaction, in a session, and in a connection that was a session's before.
    def by_client(uri: self.uri, session: true)
      Trunkline.postgres(uri, connections: 1, max_connections: 2) do |db|
        yield db.query(QUESTION).rows.to_h
        yield db.transaction { |tx| tx.query(QUESTION) }.rows.to_h
        next unless session

        yield db.session { |held| held.query("SET work_mem = '6MB'") && held.query("RESET ALL") && held.query(QUESTION) }.rows.to_h
        yield db.session { |held| held.query(QUESTION) }.rows.to_h
      end
    end

    def by_sequel(adapter, **options)
      with_sequel(adapter, database: "odd_settings", user: "odd_settings", **options) do |db|
        settings = db[QUESTION].select_map(%i[name setting]).to_h
        block_given? ? yield(db, settings) : settings
      end
    end

    def by_active_record(adapter, **options)
      base = Class.new(::ActiveRecord::Base) { self.abstract_class = true }
      base.define_singleton_method(:name) { "OddSettings" }
      base.establish_connection(adapter: adapter, host: postgres_server.socket_directory, port: postgres_server.port, username: "odd_settings",
                                database: "odd_settings", **options)
      settings = base.connection.select_rows(QUESTION).to_h
      block_given? ? yield(base.connection, settings) : settings
    ensure
      base&.remove_connection
    end
  end
end
