# frozen_string_literal: true

require "active_record"
require "async"
require "pg"
require "securerandom"
require "trunkline/active_record/registration"
require_relative "database_helpers"
require_relative "private_servers"

module Trunkline
  # ActiveRecord on this adapter and on the stock one, side by side, each with its own pool.
  module ActiveRecordHost
    include DatabaseHelpers

    # The base class for models on this library's adapter.
    class Ours < ::ActiveRecord::Base
      self.abstract_class = true
    end

    # The same on pg.
    class Stock < ::ActiveRecord::Base
      self.abstract_class = true
    end

    def setup
      super
      @application = unique_name
      @levels = [ActiveSupport::IsolatedExecutionState.isolation_level, ::ActiveRecord.default_timezone]
      ActiveSupport::IsolatedExecutionState.isolation_level = :thread
      ::ActiveRecord.default_timezone = :utc
      connect
    end

    # Resets the isolation levels first: where each fiber leases its own connection, a pool waits 10 s for one that a thread has leased.
    def teardown
      ActiveSupport::IsolatedExecutionState.isolation_level, ::ActiveRecord.default_timezone = @levels
      [Ours, Stock].each(&:remove_connection)
      super
    end

    private

    # @param options [Hash] more of database.yml
    def connect(**options)
      Ours.establish_connection(adapter: "trunkline", application_name: @application, **access, **options)
    end

    def connect_stock(**options) = Stock.establish_connection(adapter: "postgresql", **access, **options)

    def access
      { host: postgres_server.socket_directory, port: postgres_server.port, username: "postgres", database: "postgres", reaping_frequency: nil,
        pool: 300 }
    end

    def ours = Ours.lease_connection
    def stock = Stock.lease_connection

    # A model of ours on a table for the block.
    #
    # @param columns [String] as in CREATE TABLE, beside id
    # @yieldparam model [Class]
    def with_model(columns)
      with_table("id bigserial PRIMARY KEY, #{columns}") do |table|
        yield(Class.new(Ours) do
          self.table_name = table
          define_singleton_method(:name) { "Model" }
        end)
      end
    end

    # @return [Integer] connections of ours that the server has
    def connections = sessions(@application).size

    # Runs the block in an event loop, where each fiber leases its own connection from ActiveRecord.
    def in_fibers(&block)
      ActiveSupport::IsolatedExecutionState.isolation_level = :fiber
      Sync(&block)
    end
  end
end
