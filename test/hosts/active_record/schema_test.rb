# frozen_string_literal: true

require "test_helper"
require "stringio"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # Tables that change, also while others use them; databases that come and go.
    class SchemaTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      def test_columns_that_come_and_go_under_running_fibers
        connect(server_connections: 4, checkout_timeout: 60)
        with_model("name text") do |model|
          10.times { |id| model.create!(id: id, name: "n#{id}") }
          answers = in_fibers do |task|
            readers = Array.new(200) { |number| task.async { read(model, number) } }
            changer = task.async { 4.times { |round| change(model.table_name, round) } }
            readers.map(&:wait).tap { changer.wait }
          end
          assert_equal Array.new(200) { |number| ["n#{number % 10}"] * 5 }, answers
        end
      end

      def test_a_transaction_that_meets_a_change_may_be_run_again
        with_model("name text") do |model|
          model.create!(name: "Ada")
          find = -> { model.where(name: "Ada").first&.name }
          ours.execute("SET work_mem = '1MB'") # from here on one connection, which knows the statement
          assert_equal "Ada", find.call
          psql("ALTER TABLE #{model.table_name} ADD more int")
          assert_raises(::ActiveRecord::PreparedStatementCacheExpired) { model.transaction { find.call } }
          assert_equal "Ada", model.transaction { find.call }
        end
      end

      def test_a_change_that_is_rolled_back_leaves_no_plans
        with_model("name text") do |model|
          model.create!(name: "Ada")
          model.transaction do
            ours.add_column(model.table_name, :more, :integer)
            assert_equal 3, ours.exec_query("SELECT * FROM #{model.table_name} WHERE id > $1", "SQL", [0], prepare: true).columns.size
            raise ::ActiveRecord::Rollback
          end
          model.transaction { assert_equal 2, ours.exec_query("SELECT * FROM #{model.table_name} WHERE id > $1", "SQL", [0], prepare: true).columns.size }
        end
      end

      def test_an_advisory_lock_is_one_for_all
        assert ours.get_advisory_lock(4712)
        Thread.new { Ours.connection_pool.with_connection { |other| refute other.get_advisory_lock(4712) } }.join
        assert ours.release_advisory_lock(4712)
        Thread.new { Ours.connection_pool.with_connection { |other| assert other.get_advisory_lock(4712) } }.join
      end

      def test_explain
        with_model("name text") do |model|
          assert_match(/^EXPLAIN SELECT .* \[\["name", "Ada"\]\]\n.*Seq Scan on #{model.table_name}/m, model.where(name: "Ada").explain.inspect)
          assert_match(/actual time.*Execution Time/m, model.where(name: "Ada").explain(:analyze).inspect)
        end
      end

      def test_the_dumped_schema_is_the_stock_adapters
        connect_stock
        with_table("id bigserial PRIMARY KEY, name varchar(10) NOT NULL DEFAULT 'x', price numeric(8,2), tags text[], data jsonb, at timestamptz") do
          assert_equal(*[Stock, Ours].map { |base| dumped(base) })
        end
      end

      def test_a_database_is_made_used_and_dropped
        name = "made_#{SecureRandom.hex(6)}"
        config = ::ActiveRecord::DatabaseConfigurations::HashConfig.new("test", "made", adapter: "trunkline", **access, database: name)
        tasks = ::ActiveRecord::Tasks::PostgreSQLDatabaseTasks.new(config)
        silently { tasks.create }
        connect(database: name)
        assert_equal name, ours.current_database
        Ours.remove_connection
        silently { tasks.drop }
        assert_equal [], psql("SELECT 1 FROM pg_database WHERE datname = '#{name}'")
      ensure
        ::ActiveRecord::Base.remove_connection
      end

      private

      def read(model, number)
        Array.new(5) { model.find(number % 10).name }
      ensure
        Ours.connection_handler.clear_active_connections!
      end

      def change(table, round)
        Ours.with_connection do |connection|
          connection.execute(round.even? ? "ALTER TABLE #{table} ADD more int" : "ALTER TABLE #{table} DROP more")
        end
        nil
      end

      def dumped(base)
        StringIO.new.tap { |stream| ::ActiveRecord::SchemaDumper.dump(base.connection_pool, stream) }.string
      end

      def silently(&block) = capture_io(&block)
    end
  end
end
