# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/call_counts"

module Hosts
  module ActiveRecord
    # The steps of the library in what ActiveRecord does most: see CallCountsTest.
    class CallCountsTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost
      include ::CallCounts

      WARM = 60 # calls, after which types and times are known
      # Since 8.0 ActiveRecord's BEGIN and COMMIT go the way of its other statements, and have a result. Newer Rubies count calls of C that 3.1 does not.
      BOUNDS = ::ActiveRecord::VERSION::MAJOR < 8 ? [93, RUBY_VERSION < "3.2" ? 72 : 75] : [143, 109]
      # Statements that ActiveRecord does not prepare go over the raw connection, which decodes their results by ActiveRecord's type map.
      EXECUTE_BOUNDS = ::ActiveRecord::VERSION::MAJOR < 8 ? [55, RUBY_VERSION < "3.2" ? 23 : 25] : [76, 50]
      private_constant :WARM, :BOUNDS, :EXECUTE_BOUNDS

      def test_a_transaction_with_one_insert
        with_model("account int NOT NULL") do |model|
          insert = -> { model.transaction { model.create!(account: 1) } }
          Thread.new do
            WARM.times { insert.call }
            assert_calls(BOUNDS, "Model.transaction { Model.create! }", &insert)
          end.join
        end
      end

      def test_a_statement_that_is_not_prepared
        with_model("account int NOT NULL") do |model|
          connection = model.connection
          execute = -> { connection.execute("SELECT 1") }
          WARM.times { execute.call }
          assert_calls(EXECUTE_BOUNDS, "connection.execute", &execute)
        end
      end
    end
  end
end
