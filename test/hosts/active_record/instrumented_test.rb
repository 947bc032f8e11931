# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "rbconfig"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # A module that is prepended to PG::Connection, as Datadog, OpenTelemetry and rack-mini-profiler do, sees the statements of this adapter as those of the stock
    # one. Each program is a process of its own, as the module is there for the whole process.
    class InstrumentedTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      SEEN = <<~'RUBY'
        module Seen
          CALLS = []
          private def seen(name, first) = CALLS << [name, first]
          %i[exec async_exec exec_params async_exec_params exec_prepared prepare].each { |name| define_method(name) { |*values, &block| seen(name, values.first); super(*values, &block).tap { |result| result.ntuples } } }
        end
      RUBY

      # The stock adapter has statements of its own on each connection, and those for columns and types.
      USES = <<~'RUBY'
        class Thing < ActiveRecord::Base; self.table_name = "instrumented_things"; end
        connection = ActiveRecord::Base.lease_connection
        connection.create_table(:instrumented_things, force: true) { |table| table.text :name }
        use = lambda do
          thing = Thing.create!(name: "one")
          thing.update!(name: "two")
          Thing.transaction { Thing.transaction(requires_new: true) { Thing.where(name: "two").count } }
          connection.execute("SELECT 3")
          connection.select_value("SELECT 4")
          connection.raw_connection.exec_params("SELECT $1::int", [5])
          connection.raw_connection.transaction { |raw| raw.exec("SELECT 6") }
          Thing.where("no_such = 1").to_a rescue Seen::CALLS << $!.class.name
          [Thing.order(:name).load_async.to_a, Thing.delete_all]
        end
        use.call
        Seen::CALLS.clear
        use.call
        puts JSON.generate(Seen::CALLS)
        connection.drop_table(:instrumented_things)
      RUBY
      private_constant :SEEN, :USES

      def test_what_is_prepended_before_the_first_connection_sees_what_it_sees_of_the_stock_adapter
        stock, ours = %w[postgresql trunkline].map { |adapter| JSON.parse(program("#{SEEN} PG::Connection.prepend(Seen); #{begun(adapter, "prepared_statements: false")}; #{USES}")) }
        assert_equal without_setup(stock), ours
        assert_operator ours.size, :>, 15
        assert_includes ours, "ActiveRecord::StatementInvalid"
      end

      def test_what_is_prepended_later_sees_connections_from_then_on
        output = program("#{begun("trunkline")}; ActiveRecord::Base.lease_connection.select_value('SELECT 1'); #{SEEN} PG::Connection.prepend(Seen); " \
                         "ActiveRecord::Base.connection_pool.disconnect!; ActiveRecord::Base.lease_connection.select_value('SELECT 2'); puts JSON.generate(Seen::CALLS)")
        assert_equal "SELECT 2", JSON.parse(output).last.last
      end

      # With the stock adapter these are calls of exec_prepared with a name.
      def test_a_prepared_statement_is_reported_by_its_text
        output = program("#{SEEN} PG::Connection.prepend(Seen); #{begun("trunkline")}; " \
                         "2.times { ActiveRecord::Base.lease_connection.exec_query('SELECT $1::int', 'SQL', [4], prepare: true) }; puts JSON.generate(Seen::CALLS)")
        assert_equal [["exec_params", "SELECT $1::int"]] * 2, JSON.parse(output).last(2)
      end

      def test_the_text_of_a_statement_can_be_changed
        change = 'module Change; def async_exec(sql, *others) = super("#{sql} /* traced */", *others); def exec_params(sql, *others) = super("#{sql} /* traced */", *others); end; PG::Connection.prepend(Change)'
        output = program("#{change}; #{begun("trunkline")}; one = ActiveRecord::Base.lease_connection; " \
                         "puts one.select_value('SELECT current_query()'), one.exec_query('SELECT current_query(), $1::int', 'SQL', [4], prepare: true).rows.first.first")
        assert_equal ["SELECT current_query() /* traced */", "SELECT current_query(), $1::int /* traced */"], output.lines(chomp: true)
      end

      def test_a_method_that_takes_the_place_of_pgs_is_reported_once
        replaced = "class PG::Connection; alias_method :exec_without, :exec_params; def exec_params(...) = exec_without(...); end"
        output = program("#{replaced}; #{begun("trunkline")}; 2.times { ActiveRecord::Base.connection_pool.disconnect!; puts ActiveRecord::Base.lease_connection.select_value('SELECT 7') }")
        assert_match(/-e has replaced methods of PG::Connection, and sees no statements of this adapter/, output)
        assert_equal %w[7 7], output.lines(chomp: true).last(2)
        assert_equal 1, output.scan("has replaced").size
      end

      # A query that is sent ahead would pass by a method that is put around the stock adapter's, as marginalia's is.
      def test_what_is_put_around_the_stock_adapters_method_is_passed_by_no_query
        skip "since Rails 8.0 there is no such method" unless ::ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.private_method_defined?(:execute_and_clear)

        around = "module Around; def execute_and_clear(sql, *others, **settings, &block) = super(\"\#{sql} /* around */\", *others, **settings, &block); end; " \
                 "require 'active_record/connection_adapters/postgresql_adapter'; ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.prepend(Around)"
        output = program("#{around}; #{begun("trunkline")}; puts ActiveRecord::Base.lease_connection.select_all('SELECT current_query() AS text', async: true).to_a")
        assert_includes output, "/* around */"
      end

      private

      # Without what a new connection sends: the stock adapter's pool of threads opens its connection when it is the first to run a query of load_async, which
      # the caller may do as well.
      def without_setup(calls) = calls.reject { |call| call.is_a?(Array) && call.last.match?(/\ASET |FROM pg_type/) }

      def begun(adapter, *settings)
        "ActiveRecord.async_query_executor = :global_thread_pool; " \
          "ActiveRecord::Base.establish_connection(#{["adapter: '#{adapter}', host: '#{postgres_server.socket_directory}', port: #{postgres_server.port}, username: 'postgres', database: 'postgres'", *settings].join(", ")}); " \
          "ActiveRecord::Base.asynchronous_queries_tracker.start_session"
      end

      def program(text)
        output, status = Open3.capture2e({ "DATABASE_URL" => nil }, RbConfig.ruby, "-Ilib", "-e", "require 'active_record'; require 'json'; require 'pg'; require 'trunkline'; #{text}")
        assert_predicate status, :success?, output
        output
      end
    end
  end
end
