# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # load_async and the async_ methods: on their way at once, without a thread.
    class AsyncTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      def setup
        super
        @executor = ::ActiveRecord.async_query_executor
        ::ActiveRecord.async_query_executor = :global_thread_pool
        ::ActiveRecord::Base.asynchronous_queries_tracker.start_session
        connect # a pool keeps what it was made with
      end

      def teardown
        ::ActiveRecord::Base.asynchronous_queries_tracker.finalize_session
        ::ActiveRecord.async_query_executor = @executor
        super
      end

      def test_results
        with_model("name text") do |model|
          model.create!([{ name: "Ada" }, { name: "Grace" }])
          relation = model.order(:id).load_async
          assert_predicate relation, :scheduled?
          assert_equal [["Ada", "Grace"], 2, 1, ["Ada", "Grace"]],
                       [relation.map(&:name), model.async_count.value, model.async_minimum(:id).value, model.order(:id).async_pluck(:name).value]
        end
      end

      # The server has the first one before a caller asks what it returns; the second is answered while that still waits.
      def test_they_run_side_by_side_and_start_no_thread
        connect(server_connections: 2, max_server_connections: 2)
        with_model("name text") do |model|
          model.create!(name: "Ada")
          threads = Thread.list
          while_locked(model.table_name) do
            @first = model.all.load_async
            assert eventually { psql("SELECT 1 FROM pg_locks WHERE relation = '#{model.table_name}'::regclass AND NOT granted").any? }
            with_pg_class { |other| assert_equal 1, other.limit(1).load_async.to_a.size }
          end
          assert_equal [["Ada"], threads], [@first.map(&:name), Thread.list]
        end
      end

      def test_asking_whether_it_is_pending_takes_it_in
        with_model("name text") do |model|
          model.create!(name: "Ada")
          names = model.async_pluck(:name)
          assert eventually { !names.pending? }
          assert_equal ["Ada"], names.value
        end
      end

      def test_events_say_that_it_was_asynchronous
        events = []
        subscriber = ActiveSupport::Notifications.subscribe("sql.active_record") { |event| events << event }
        with_model("name text") do |model|
          model.load_schema
          events.clear
          model.all.load_async.to_a
        end
        assert_equal [true, 0, Float], [events.last.payload[:async], events.last.payload[:row_count], events.last.payload[:lock_wait].class]
      ensure
        ActiveSupport::Notifications.unsubscribe(subscriber)
      end

      def test_errors_come_with_the_result
        relation = Class.new(Ours) { self.table_name = "pg_class" }.where("no_such_column = 1").load_async
        assert_raises(::ActiveRecord::StatementInvalid) { relation.to_a }
      end

      def test_in_a_transaction_they_are_not_sent
        Ours.transaction do
          ours.execute("SELECT 1")
          with_pg_class { |model| assert_raises(::ActiveRecord::AsynchronousQueryInsideTransactionError) { ours.select_all(model.limit(1), async: true) } }
        end
      end

      # They run at once on the transaction's connection, see what it has written, and their errors come as from any other query. The async_ methods refuse.
      def test_relations_in_a_transaction_do_as_on_the_stock_adapter
        connect_stock
        with_table("id serial PRIMARY KEY, name text") do |table|
          told = [Stock, Ours].map { |base| in_a_transaction(Class.new(base) { self.table_name = table }) }
          assert_equal(*told)
          assert_equal [["Ada"], ::ActiveRecord::AsynchronousQueryInsideTransactionError, ::ActiveRecord::StatementInvalid, [["Ada"], ["Grace"]]], told.first.drop(1)
        end
      end

      def test_without_an_executor_they_run_when_their_result_is_awaited
        ::ActiveRecord.async_query_executor = nil
        connect
        with_pg_class { |model| assert_equal 1, model.limit(1).load_async.to_a.size }
      end

      def test_on_a_connection_of_its_own_they_run_at_once
        ours.execute("SET work_mem = '1MB'")
        with_pg_class { |model| assert_equal 1, model.limit(1).load_async.to_a.size }
      end

      private

      def in_a_transaction(model)
        told = []
        model.transaction do
          model.create!(name: "Ada")
          relation = model.order(:id).load_async
          told << [relation.scheduled?, relation.loaded?] << relation.map(&:name)
          told << assert_raises(::ActiveRecord::AsynchronousQueryInsideTransactionError) { model.async_count.value }.class
          told << assert_raises(::ActiveRecord::StatementInvalid) { model.transaction(requires_new: true) { model.where("nothing = 1").load_async.to_a } }.class
          told << nested(model)
          raise ::ActiveRecord::Rollback
        end
        told
      end

      # In a savepoint that is rolled back, and after it.
      def nested(model)
        inner = nil
        model.transaction(requires_new: true) do
          model.update_all(name: "Grace")
          inner = model.all.load_async.map(&:name)
          raise ::ActiveRecord::Rollback
        end
        [model.all.load_async.map(&:name), inner]
      end

      # No other caller reads the table meanwhile.
      def while_locked(table, &block)
        connect_stock
        stock.transaction { stock.execute("LOCK TABLE #{table}") && block.call }
      end

      def with_pg_class
        yield(Class.new(Ours) { self.table_name = "pg_class" })
      end
    end
  end
end
