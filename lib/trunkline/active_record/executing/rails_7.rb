# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    module Executing
      # The methods that ActiveRecord 7.2 calls.
      module Rails7
        # What ActiveRecord calls its own BEGIN, COMMIT and SAVEPOINT, whose results it does not use.
        TRANSACTION = "TRANSACTION"
        private_constant :TRANSACTION

        def raw_execute(sql, name, async: false, allow_retry: false, materialize_transactions: true) # :nodoc:
          return super unless name == TRANSACTION && sql.start_with?("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")

          log(sql, name, async: async) do
            with_raw_connection(allow_retry: allow_retry, materialize_transactions: materialize_transactions) do |connection|
              connection.execute_transaction_control(sql)
              verified!
              handle_warnings(sql)
            end
          end
        end

        # Keywords by name: a rest of them would be a Hash in each call.
        def internal_exec_query(sql, name = "SQL", binds = [], prepare: false, async: false, allow_retry: false, materialize_transactions: true) # :nodoc:
          execute_and_clear(sql, name, binds, prepare: prepare, async: async, allow_retry: allow_retry, materialize_transactions: materialize_transactions) do |result|
            cast_result(result)
          end
        end

        private

        # BEGIN and COMMIT write nothing, and are allowed where writes are prevented: to check that for both took 0.9 % of a transaction's instructions.
        def internal_execute(sql, name = "SCHEMA", allow_retry: false, materialize_transactions: true)
          return super unless name == TRANSACTION && (sql == "BEGIN" || sql == "COMMIT")

          raw_execute(transform_query(sql), name, allow_retry: allow_retry, materialize_transactions: materialize_transactions)
        end

        # Whether no other library has put its own method around the stock adapter's, which a query that is sent ahead does not go through: AppSec of Datadog's
        # and marginalia do. A thread of ActiveRecord's pool then runs it.
        def sends_ahead?
          method(:execute_and_clear).source_location.first.end_with?("active_record/connection_adapters/postgresql_adapter.rb")
        end

        def exec_no_cache(sql, name, binds, async:, allow_retry:, materialize_transactions:)
          exec_directly(sql, name, binds, :again, async, allow_retry, materialize_transactions)
        end

        def exec_cache(sql, name, binds, async:, allow_retry:, materialize_transactions:)
          exec_directly(sql, name, binds, true, async, allow_retry, materialize_transactions)
        rescue ::ActiveRecord::StatementInvalid => error
          raise unless is_cached_plan_failure?(error)

          raise ::ActiveRecord::PreparedStatementCacheExpired.new(error.cause.message, connection_pool: @pool)
        end

        def exec_directly(sql, name, binds, prepare, async, allow_retry, materialize_transactions)
          mark_transaction_written_if_write(sql)
          update_typemap_for_default_timezone
          type_casted_binds = type_casted_binds(binds)
          log(sql, name, binds, type_casted_binds, async: async) do |payload|
            with_raw_connection(allow_retry: allow_retry, materialize_transactions: materialize_transactions) do |connection|
              result = connection.execute_statement(sql, type_casted_binds, prepare)
              verified!
              payload[:row_count] = result.size
              result
            end
          end
        end

        def preprocess_query(sql)
          sql = transform_query(sql)
          check_if_write_query(sql)
          sql
        end

        def cast_result(result) = build_result(columns: result.columns, rows: result.rows, column_types: column_types(result))
      end
      private_constant :Rails7
    end
  end
end
