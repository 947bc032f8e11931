# frozen_string_literal: true

require "active_record"
require "trunkline"
require_relative "../abandoned_requests"

module Trunkline
  module Bench
    module Peers
      # Requests by ActiveRecord, on the stock adapter or on Trunkline's.
      class ActiveRecordAbandonedRequests
        include AbandonedRequests

        # What is looked for.
        class Account < ::ActiveRecord::Base
        end

        # @param adapter [String] "postgresql" or "trunkline"
        # @param pool [Integer] connections of ActiveRecord's
        # @param options what else the adapter is given
        def initialize(uri:, rows:, adapter:, pool:, options: {})
          @rows = rows
          ActiveSupport::IsolatedExecutionState.isolation_level = :fiber
          url = uri.sub(/\Apostgres(ql)?:/, "#{adapter}:")
          ::ActiveRecord::Base.establish_connection(url: url, pool: pool, checkout_timeout: 10, reaping_frequency: nil, **options)
        end

        private

        def select(id) = connected { Account.where(id: id).pick(:balance) }
        def report = connected { |connection| connection.select_value(REPORT) }

        def transaction(number)
          connected do |connection|
            connection.transaction { 2.times { connection.exec_update(UPDATE.sub("$1", number.to_s)) } }
          end
        end

        def connected(&) = ::ActiveRecord::Base.connection_pool.with_connection(&)
      end
    end
  end
end
