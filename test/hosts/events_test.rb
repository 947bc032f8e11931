# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  # What subscribes to ActiveRecord's events, as the gems of Datadog, New Relic, Skylight, OpenTelemetry and rack-mini-profiler do, gets the stock adapter's.
  class EventsTest < Trunkline::TestCase
    include Trunkline::ActiveRecordHost

    EVENTS = /\A(sql|start_transaction|transaction|instantiation|strict_loading_violation)\.active_record\z/
    # Names a prepared statement, which connections share here.
    OWN = :statement_name
    # What each call does with a model. Of a statement that the server refuses to prepare the stock adapter of Rails 7.2 tells nothing; this one does.
    CALLS = {
      "find" => ->(model) { model.find(1) }, "a prepared one again" => ->(model) { 3.times { model.find_by(name: "a") } }, "nothing found" => ->(model) { model.find_by(name: "none") },
      "where, order, pluck" => ->(model) { model.where(id: [1, 2]).order(:id).pluck(:name, :at) }, "count" => ->(model) { model.where("name > ?", "a").count },
      "unprepared" => ->(model) { model.lease_connection.unprepared_statement { model.where(name: "a").to_a } }, "select_all" => ->(model) { model.lease_connection.select_all("SELECT 1 AS one", "Own name") },
      "execute" => ->(model) { model.lease_connection.execute("SELECT generate_series(1, 3)") }, "exec_query" => ->(model) { model.lease_connection.exec_query("SELECT $1::int", "SQL", [4], prepare: true) },
      "insert" => ->(model) { model.create!(name: "new") }, "insert_all" => ->(model) { model.insert_all([{ name: "x" }, { name: "y" }]) }, "update" => ->(model) { model.find(1).update!(name: "b") },
      "update_all" => ->(model) { model.where(id: 2).update_all(name: "c") }, "delete" => ->(model) { model.where(name: "x").delete_all }, "destroy" => ->(model) { model.find(3).destroy },
      "transaction" => ->(model) { model.transaction { model.create!(name: "t") && model.transaction(requires_new: true) { model.count } } },
      "rolled back" => ->(model) { model.transaction { model.create!(name: "r") && raise(::ActiveRecord::Rollback) } }, "empty transaction" => ->(model) { model.transaction { nil } },
      "cached" => ->(model) { model.cache { 2.times { model.find_by(name: "a") } } }, "cached without parameters" => ->(model) { model.cache { 2.times { model.lease_connection.select_value("SELECT 1") } } },
      "explain" => ->(model) { model.where(id: 1).explain.inspect }, "comment" => ->(model) { model.annotate("from a page").to_a }, "lock" => ->(model) { model.transaction { model.lock.find(1) } },
      "isolation" => ->(model) { model.transaction(isolation: :serializable) { model.count } }, "batches" => ->(model) { model.find_each(batch_size: 2) { nil } },
      "schema" => ->(model) { model.lease_connection.columns(model.table_name) }, "indexes" => ->(model) { model.lease_connection.indexes(model.table_name) },
      "division" => ->(model) { model.lease_connection.select_value("SELECT 1/0") }, "no such column" => ->(model) { model.lease_connection.execute("SELECT no_such FROM #{model.table_name}") },
      "not unique" => ->(model) { model.create!(id: 1, name: "again") }, "cut off" => ->(model) { model.create!(code: "far too long", name: "z") }
    }.freeze
    private_constant :EVENTS, :OWN, :CALLS

    def test_events_are_the_stock_adapters
      connect_stock
      with_table("id serial PRIMARY KEY, name text NOT NULL, code varchar(3), at timestamptz DEFAULT '2026-01-02 03:04:05Z'") do |table|
        models = [Stock, Ours].map { |base| model_of(base, table) }
        CALLS.each do |name, call|
          told = models.map { |model| refill(table) && events { call.call(model) } }
          assert_equal(*told, name)
          assert_equal name == "empty transaction", told.first.empty?, name
        end
      end
    end

    private

    # It has read its columns and, on the stock adapter, the search path, which is part of the key of a prepared statement there.
    def model_of(base, table)
      Class.new(base) do
        self.table_name = table
        %i[name to_s].each { |method| define_singleton_method(method) { "Row" } }
      end.tap { |model| model.find_by(id: 0) }
    end

    def refill(table) = stock.execute("TRUNCATE #{table} RESTART IDENTITY; INSERT INTO #{table} (name) VALUES ('a'), ('b'), ('c')")

    def events
      told = []
      subscriber = ActiveSupport::Notifications.subscribe(EVENTS) { |event| told << [event.name, *payload(event.payload)] }
      begin
        yield
      rescue ::ActiveRecord::ActiveRecordError => error
        told << error.class
      end
      told
    ensure
      ActiveSupport::Notifications.unsubscribe(subscriber)
    end

    # Objects by their classes; values of binds as the database gets them.
    def payload(payload)
      values = payload.except(OWN, :connection, :exception_object, :exception, :transaction, :binds, :type_casted_binds, :record)
      casted = payload[:type_casted_binds]
      [values, payload.keys.sort, payload[:exception]&.first, payload[:exception_object]&.cause.class.name, payload[:connection] && %w[PostgreSQL Trunkline].include?(payload[:connection].adapter_name),
       payload[:binds]&.map { |bind| bind.respond_to?(:value) ? bind.value : bind }, casted.respond_to?(:call) ? casted.call : casted]
    end
  end
end
