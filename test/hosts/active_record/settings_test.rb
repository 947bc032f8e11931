# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # What database.yml says, as the server has it.
    class SettingsTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      NAMES = %w[TimeZone IntervalStyle client_min_messages search_path work_mem statement_timeout application_name].freeze
      OPTIONS = [
        {}, { min_messages: "error" }, { schema_search_path: "pg_catalog, public" }, { schema_search_path: "'$user',public" },
        { variables: { work_mem: "5MB", "statement_timeout" => 4000 } }, { variables: { timezone: "Asia/Tokyo" } },
        { variables: { timezone: :default, intervalstyle: "postgres" } }, { options: "-c work_mem=6MB -c search_path=pg_catalog" },
        { application_name: "mine" }, { variables: { work_mem: nil } }, { encoding: "unicode" }
      ].freeze
      private_constant :NAMES, :OPTIONS

      # On several databases at once.
      class Routed < ::ActiveRecord::Base
        self.abstract_class = true
      end

      # Since PostgreSQL 14: as guides/one-request-per-process.md has it. With less time a session may end between its login and its first query.
      def test_a_process_has_no_connection_when_it_is_idle
        connect(max_server_connections: 1, variables: { (postgres_server.version < 14 ? "trunkline.idle" : "idle_session_timeout") => 2000 })
        2.times do
          assert_equal [7, 7], [ours.select_value("SELECT 7"), ours.transaction { ours.select_value("SELECT 7") }]
          assert eventually { connections.zero? } if postgres_server.version >= 14
        end
      end

      def test_they_are_the_stock_adapters
        OPTIONS.each do |options|
          connect(application_name: "both", **options)
          connect_stock(application_name: "both", **options)
          NAMES.each { |name| assert_equal stock.select_value("SHOW #{name}"), ours.select_value("SHOW #{name}"), [options, name].inspect }
        end
      end

      def test_no_password_is_shown
        connect(password: "hunter2")
        ours.select_value("SELECT 1")
        clients = Trunkline::ActiveRecord.const_get(:CLIENTS)
        shared = ours.instance_variable_get(:@shared)
        [ours, ours.raw_connection, clients, shared, shared.settings].each { |object| refute_includes object.inspect, "hunter2" }
      end

      # A SET would say "session".
      def test_they_travel_in_the_startup_message
        connect(min_messages: "error", schema_search_path: "public", variables: { work_mem: "5MB" })
        names = %w[TimeZone IntervalStyle client_min_messages search_path work_mem]
        assert_equal ["client"], ours.select_values("SELECT DISTINCT source FROM pg_settings WHERE name IN ('#{names.join("', '")}')")
      end

      def test_what_is_refused_is_reported_by_its_name
        { { variables: { DateStyle: "German" } } => "DateStyle", { variables: { standard_conforming_strings: "off" } } => "standard_conforming_strings",
          { encoding: "latin1" } => "client_encoding", { gssencmode: "require" } => "gssencmode", { sslmode: "sometimes" } => "sslmode",
          { server_connections: "many" } => "server_connections", { session_functions: ["a b"] } => "session_functions",
          { session_function: ["f"] } => "session_functions", { server_conections: 2 } => "server_connections", { sslmod: "require" } => "sslmode" }.each do |options, name|
          connect(**options)
          error = assert_raises(Trunkline::ConfigError) { ours.select_value("SELECT 1") }
          assert_includes error.message, name
        end
      end

      def test_keys_of_others_are_let_be
        connect(strategy: "makara", postgis_extension: "postgis", whatever: 1, session_timeout: 5, server_version: "15", region: "x", post: "y",
                encryption: { key: "z" }, variables: { "app.user_id" => "1" })
        assert_equal 1, ours.select_value("SELECT 1")
      end

      def test_the_application_is_called_as_by_the_stock_adapter
        access = self.access
        [Ours, Stock].zip(%w[trunkline postgresql]) { |base, adapter| base.establish_connection(adapter: adapter, **access) }
        assert_equal(*[stock, ours].map { |connection| connection.select_value("SHOW application_name") })
      end

      # Each with what was meant.
      def test_misspelt_keys_are_named_wherever_they_stand
        { { server_connection: 3 } => "server_connections", { prepared_statement: false } => "prepared_statements", { usernam: "x" } => "username",
          { checkout_timout: 1 } => "checkout_timeout", { variables: { statment_timeout: 5 } } => "statement_timeout",
          { variables: { "serch_path" => "x" } } => "search_path", { trunkline: { server_connection: 3 } } => "server_connections beside adapter",
          { options_of_ours: { session_functions: [] } } => "session_functions beside adapter" }.each do |config, meant|
          error = assert_raises(Trunkline::ConfigError, config.inspect) { Trunkline::ActiveRecord.const_get(:Settings).new(config, timezone: :utc) }
          assert_match(/(did you mean|write) #{meant}/, error.message)
        end
        error = assert_raises(Trunkline::ConfigError) { Trunkline::ActiveRecord.const_get(:Settings).new({ variables: "x" }, timezone: :utc) }
        assert_match(/\Avariables must be a Hash, as in /, error.message)
      end

      def test_a_setting_that_cannot_be_is_the_servers_to_refuse
        connect(variables: { work_mem: "much" })
        assert_raises(::ActiveRecord::ConnectionNotEstablished) { ours.select_value("SELECT 1") }
      end

      def test_a_url
        url = "trunkline://postgres@127.0.0.1:#{postgres_server.port}/postgres?application_name=by-url&server_connections=2"
        Ours.establish_connection(url)
        assert_equal "by-url", ours.select_value("SHOW application_name")
        assert_instance_of ::ActiveRecord::ConnectionAdapters::TrunklineAdapter, ours
      end

      def test_without_pg_in_the_bundle_the_error_names_the_line
        main = TOPLEVEL_BINDING.receiver
        main.define_singleton_method(:gem) { |*| raise Gem::LoadError, "pg is not part of the bundle" }
        error = assert_raises(LoadError) { load "active_record/connection_adapters/trunkline_adapter.rb" }
        assert_match(/pg is not part of the bundle.*add `gem "pg"` to the Gemfile/, error.message)
      ensure
        main.singleton_class.remove_method(:gem)
      end

      def test_roles_and_shards
        places = %i[one two].product(%i[writing reading])
        Routed.connects_to(shards: places.group_by(&:first).transform_values do |roles|
          roles.to_h { |shard, role| [role, { adapter: "trunkline", **access, application_name: "#{shard} #{role}" }] }
        end)
        names = routed(places) { |connection| connection.select_value("SHOW application_name") }
        assert_equal ["one writing", "one reading", "two writing", "two reading"], names
        assert_equal [false, true], routed(places.first(2), &:preventing_writes?)
      ensure
        places.each { |shard, role| Routed.connection_handler.remove_connection_pool(Routed.name, role: role, shard: shard) }
      end

      def test_without_prepared_statements_the_server_has_none
        connect(prepared_statements: false, server_connections: 1)
        3.times { |number| assert_equal number, ours.exec_query("SELECT $1::int", "SQL", [number]).rows.dig(0, 0) }
        assert_equal 0, ours.select_value("SELECT count(*) FROM pg_prepared_statements")
      end

      def test_prepared_statements_are_kept
        connect(server_connections: 1)
        with_model("name text") do |model|
          3.times { model.find_by(name: "Ada") }
          assert_equal 1, ours.select_value("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%#{model.table_name}%LIMIT%'")
        end
      end

      def test_pools_of_the_same_settings_share_a_client_and_the_last_one_closes_it
        ours.select_value("SELECT 1")
        Stock.establish_connection(adapter: "trunkline", application_name: @application, **access)
        stock.select_value("SELECT 1")
        assert_equal 1, connections
        Ours.remove_connection
        assert_equal 1, stock.select_value("SELECT 1")
        Stock.remove_connection
        assert_equal 0, until_gone
      end

      private

      def routed(places)
        places.map { |shard, role| Routed.connected_to(shard: shard, role: role) { yield Routed.lease_connection } }
      end

      # The server takes its time to notice.
      def until_gone
        Thread.pass until connections.zero?
        connections
      end
    end
  end
end
