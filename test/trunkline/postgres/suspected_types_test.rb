# frozen_string_literal: true

require "test_helper"
require "support/requests"

module Trunkline
  module Postgres
    class SuspectedTypesTest < TestCase
      STATEMENT = Requests::STATEMENT
      Described = Struct.new(:parameter_types)
      INTEGER, NUMERIC = 23, 1700
      private_constant :STATEMENT, :Described, :INTEGER, :NUMERIC

      def test_parameters_that_have_other_types_now
        explained = explain([NUMERIC])
        assert_instance_of OutdatedStatement, explained
        assert_equal "22012", explained.sqlstate
      end

      # An error has its beginning.
      def test_a_long_statement
        @sql = "SELECT 1 / $1::int#{", 1" * 2000}"
        @error = ServerError.new({ message: "division by zero" }, sql: @sql)
        assert_instance_of OutdatedStatement, explain([NUMERIC])
      end

      def test_parameters_that_have_the_same_types = assert_same(@error, explain([INTEGER]))

      # Another caller's CREATE had them forgotten.
      def test_types_that_are_not_known_any_more = assert_same(@error, explain(nil))

      def test_a_server_that_does_not_tell
        assert_same(@error, suspected.explain(@error) { raise ConnectionError, "lost" })
      end

      def setup
        @sql = "SELECT 1 / $1::int"
        @error = ServerError.new({ message: "division by zero", sqlstate: "22012" }, sql: @sql)
      end

      private

      def suspected = Postgres.const_get(:SuspectedTypes).new(STATEMENT.new(@sql, 0), [INTEGER])
      def explain(types) = suspected.explain(@error) { Described.new(types) }
    end
  end
end
