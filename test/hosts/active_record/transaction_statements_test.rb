# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # BEGIN, COMMIT and savepoints take fewer steps than with the stock adapter: what applications see of them is the same.
    class TransactionStatementsTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      # What ActiveRecord calls them.
      NAME = "TRANSACTION"
      private_constant :NAME

      def setup
        super
        connect_stock
      end

      def test_where_writes_are_prevented_they_are_allowed_and_writes_by_their_name_are_not
        both do |base|
          ::ActiveRecord::Base.while_preventing_writes do
            connection = base.lease_connection
            assert_equal(1, base.transaction { base.transaction(requires_new: true) { connection.select_value("SELECT 1") } })
            assert_raises(::ActiveRecord::ReadOnlyError) { connection.execute("CREATE TABLE trunkline_written ()", NAME) }
          end
        end
      end

      def test_a_query_of_their_name_has_a_result
        both { |base| assert_equal [{ "one" => 1 }], base.lease_connection.execute("SELECT 1 AS one", NAME).to_a }
      end

      def test_each_is_transformed_and_announced
        told = [Ours, Stock].map { |base| announced(base) }
        assert_equal(*told)
        assert_includes told.first, ["COMMIT /* web */", NAME]
      end

      private

      def both(&) = [Ours, Stock].each(&)

      # @return [Array<Array(String, String)>] statements with their names
      def announced(base)
        base.lease_connection.select_value("SELECT 1")
        statements = []
        ::ActiveRecord.query_transformers << (comment = ->(sql, _connection) { "#{sql} /* web */" })
        listen = ->(*, payload) { statements << payload.values_at(:sql, :name) }
        ActiveSupport::Notifications.subscribed(listen, "sql.active_record") do
          base.transaction { base.transaction(requires_new: true) { base.lease_connection.select_value("SELECT 2") } }
        end
        statements
      ensure
        ::ActiveRecord.query_transformers.delete(comment)
      end
    end
  end
end
