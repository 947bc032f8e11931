# frozen_string_literal: true

require_relative "sent_query"
require_relative "executing/rails_7"
require_relative "executing/rails_8"

module Trunkline
  module ActiveRecord
    # Runs ActiveRecord's statements, without steps of the stock adapter that are not needed. Include it in a subclass of PostgreSQLAdapter.
    module Executing
      # Replaces ActiveRecord's names of prepared statements: each connection of the client has its own.
      class Statements
        # @yield when all of them must be forgotten
        def initialize(&forget) = @forget = forget

        def clear = @forget.call

        # A new connection of ActiveRecord is not a new connection of the server.
        def reset = nil
        def length = 0
      end
      private_constant :Statements

      # Methods whose names differ between versions of Rails.
      Performing = ::ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.private_method_defined?(:perform_query) ? Rails8 : Rails7
      private_constant :Performing

      include Performing

      # Without RETURNING, the key is the sequence's last value on the same connection.
      def exec_insert(sql, name = nil, binds = [], pk = nil, sequence_name = nil, returning: nil) # :nodoc:
        return super if use_insert_returning?

        with_raw_connection { |connection| connection.session.together { super } }
      end

      # @return [Array(String, Postgres::Future)] the text that was sent, with what ActiveRecord puts into it, and the query in flight; nil for that: it must run synchronously
      def send_select(sql, _name, binds, prepare:) # :nodoc:
        sql = preprocess_query(sql)
        update_typemap_for_default_timezone
        [sql, with_raw_connection(materialize_transactions: false) { |connection| connection.send_statement(sql, type_casted_binds(binds), prepare) }]
      end

      # @param future [Postgres::Future]
      # @return [ActiveRecord::Result]
      def receive_select(future, sql, name, binds) # :nodoc:
        values = type_casted_binds(binds)
        result = log(sql, name, binds, values, async: true) do |payload|
          with_raw_connection(materialize_transactions: false) do |connection|
            connection.receive_result(future, sql, values).tap { |received| payload[:row_count] = received.size }
          end
        end
        cast_result(result)
      end

      private

      # A server with array_nulls off would store the nil as the text "NULL", as with the stock adapter.
      def encode_array(array_data)
        null = [array_data.values].flatten.include?(nil)
        with_raw_connection(materialize_transactions: false) { |connection| connection.session.check_array_nulls("an array") } if null
        super
      end

      def select(sql, name = nil, binds = [], prepare: false, async: false, **options)
        return super unless async && async_enabled? && current_transaction.closed? && sends_ahead?

        sent = SentQuery.new(pool, sql, name, binds, prepare: prepare)
        sent.send_by(self, ::ActiveRecord::Base.asynchronous_queries_session) ||
          ::ActiveRecord::FutureResult.wrap(super(sql, name, binds, prepare: prepare, **options))
      end

      def build_statement_pool = Statements.new { (client = @shared&.client) && Postgres::AdapterInterface.of(client).outdate_plans }

      # Looked up once for each description of a server, as long as the types are the same.
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
