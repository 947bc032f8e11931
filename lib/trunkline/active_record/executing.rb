# frozen_string_literal: true

require_relative "sent_query"

module Trunkline
  module ActiveRecord
    # How ActiveRecord's statements are carried out, where the stock adapter would do more than is needed. To be included in a
    # subclass of PostgreSQLAdapter.
    module Executing
      # The server's text of these that methods which ask without a model decode too.
      QUERIED = {
        17 => ::PG::Connection.method(:unescape_bytea),
        790 => ::ActiveRecord::ConnectionAdapters::PostgreSQL::OID::Money.new.method(:deserialize)
      }.freeze
      private_constant :QUERIED

      # In place of ActiveRecord's names of prepared statements: each connection of the client knows its own.
      class Statements
        # @yield when all of them are to be forgotten
        def initialize(&forget) = @forget = forget

        def clear = @forget.call

        # A new connection of ActiveRecord's is no new one of the server's.
        def reset = nil
        def length = 0
      end
      private_constant :Statements

      def initialize(...) # :nodoc:
        super
        @type_map_for_results = QUERIED
      end

      def internal_exec_query(sql, name = "SQL", binds = [], **options) # :nodoc:
        execute_and_clear(sql, name, binds, **options) do |result|
          build_result(columns: result.columns, rows: result.rows, column_types: column_types(result))
        end
      end

      # Without RETURNING the key is what the sequence says on the same connection.
      def exec_insert(...) # :nodoc:
        return super if use_insert_returning?

        with_raw_connection { |connection| connection.session.together { super } }
      end

      # @return [Postgres::Future, nil] of a query that is on its way; nil: it has to be carried out at once
      def send_select(sql, _name, binds, prepare:) # :nodoc:
        sql = transform_query(sql)
        check_if_write_query(sql)
        update_typemap_for_default_timezone
        with_raw_connection(materialize_transactions: false) { |connection| connection.send_kept(sql, type_casted_binds(binds), prepare) }
      end

      # @param future [Postgres::Future]
      # @return [ActiveRecord::Result]
      def receive_select(future, sql, name, binds) # :nodoc:
        result = log(sql, name, binds, type_casted_binds(binds), async: true) do |payload|
          with_raw_connection(materialize_transactions: false) do |connection|
            connection.receive(future).tap { |received| payload[:row_count] = received.size }
          end
        end
        build_result(columns: result.columns, rows: result.rows, column_types: column_types(result))
      end

      private

      def select(sql, name = nil, binds = [], prepare: false, async: false, **options)
        return super unless async && async_enabled? && current_transaction.closed?

        sent = SentQuery.new(pool, sql, name, binds, prepare: prepare)
        sent.send_by(self, ::ActiveRecord::Base.asynchronous_queries_session) ||
          ::ActiveRecord::FutureResult.wrap(super(sql, name, binds, prepare: prepare, **options))
      end

      def build_statement_pool = Statements.new { @shared&.client&.outdate_plans }

      def exec_cache(sql, name, binds, async:, allow_retry:, materialize_transactions:)
        mark_transaction_written_if_write(sql)
        update_typemap_for_default_timezone
        type_casted_binds = type_casted_binds(binds)
        log(sql, name, binds, type_casted_binds, async: async) do |payload|
          with_raw_connection(allow_retry: allow_retry, materialize_transactions: materialize_transactions) do |connection|
            result = connection.exec_kept(sql, type_casted_binds)
            verified!
            payload[:row_count] = result.size
            result
          end
        end
      rescue ::ActiveRecord::StatementInvalid => error
        raise unless is_cached_plan_failure?(error)

        raise ::ActiveRecord::PreparedStatementCacheExpired.new(error.cause.message, connection_pool: @pool)
      end

      # Looked up once for each description that a server has sent, as long as the types are the same.
      def column_types(result)
        description = result.description
        map, types = description.annotation
        return types if map && map.equal?(type_map)

        types = look_up_types(description)
        description.annotation = [type_map, types]
        types
      end

      def look_up_types(description)
        types = {}
        description.columns.zip(description.types, description.modifiers).each_with_index do |(name, oid, modifier), column|
          types[name] = types[column] = get_oid_type(oid, modifier, name)
        end
        types.freeze
      end
    end
  end
end
