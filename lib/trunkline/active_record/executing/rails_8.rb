# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    module Executing
      # The methods that ActiveRecord 8.0 and 8.1 call.
      module Rails8
        # Since 8.1, results contain the number of affected rows.
        COUNTING = ::ActiveRecord::Result.method_defined?(:affected_rows)
        # 8.1 passes on the server's warnings by itself.
        WARNING = ::ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.instance_method(:handle_warnings).arity == 1
        private_constant :COUNTING, :WARNING

        # Applications use its result, which has all methods of PG::Result.
        def execute(...) # :nodoc:
          whole = @whole_results
          @whole_results = true
          super
        ensure
          @whole_results = whole
        end

        private

        def sends_ahead? = true

        def perform_query(_connection, sql, _binds, type_casted_binds, prepare:, notification_payload:, **)
          update_typemap_for_default_timezone # may switch to another connection
          values = type_casted_binds || []
          result = @whole_results && values.empty? ? @raw_connection.async_exec(sql) : @raw_connection.execute_statement(sql, values, prepare || :again)
          verified!
          handle_warnings(sql) if WARNING
          notification_payload[:affected_rows] = result.cmd_tuples if COUNTING
          notification_payload[:row_count] = result.size
          result
        rescue ::PG::FeatureNotSupported => error
          raise unless is_cached_plan_failure?(error)

          raise ::ActiveRecord::PreparedStatementCacheExpired.new(error.message, connection_pool: @pool)
        end

        def cast_result(result)
          counted = COUNTING ? { affected_rows: result.cmd_tuples } : {}
          ::ActiveRecord::Result.new(result.columns, result.rows, column_types(result), **counted)
        end
      end
      private_constant :Rails8
    end
  end
end
