# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    # SQL texts known to a client: bounded in number and in bytes.
    class StatementsTest < TestCase
      def test_one_text_is_one_statement
        table = Statements.new.table
        assert_same table["SELECT 1"], table[+"SELECT 1"]
        refute_same table["SELECT 1"], table["SELECT 2"]
        assert_equal ["SELECT 1", true], [table["SELECT 1"].sql, table["SELECT 1"].sql.frozen?]
      end

      # The server's answer may have been a forged one.
      def test_what_one_client_has_learnt_of_a_statement_ends_with_it
        statements = Statements.new
        statements.leaked(statements.table["SELECT 1"])
        refute_predicate statements.table["SELECT 1"], :shareable?
        assert_predicate statements.table["SELECT 2"], :shareable?
        assert_predicate Statements.new.table["SELECT 1"], :shareable?
      end

      def test_one_text_in_any_encoding
        table = Statements.new.table
        statement = table["SELECT 'ü'"]
        assert_same statement, table["SELECT 'ü'".b]
        assert_same statement, table["SELECT 'ü'".encode("ISO-8859-1")]
        assert_same statement, table["SELECT 'ü'".encode("UTF-16LE")]
        assert_equal Encoding::UTF_8, statement.sql.encoding
      end

      # What it says of itself is not what it holds.
      class Misleading < String
        %i[-@ encode dup].each { |method| define_method(method) { |*| "SELECT \0" } }
        def include?(*) = false
        def valid_encoding? = true
      end
      private_constant :Misleading

      def test_a_text_of_a_class_of_the_callers
        table = Statements.new.table
        assert_equal ["SELECT 1", String], [table[Misleading.new("SELECT 1")].sql, table["SELECT 1"].sql.class]
        assert_raises(ArgumentError) { table[Misleading.new("SELECT 2\0")] }
        assert_raises(EncodingError) { table[Misleading.new("\xFF")] }
      end

      def test_what_cannot_be_sent
        table = Statements.new.table
        { nil => TypeError, 1 => TypeError, :"SELECT 1" => TypeError, "SELECT \0" => ArgumentError, "\xFF" => EncodingError,
          "SELECT '\xC3'".b => EncodingError, ["SELECT 1"] => TypeError }.each do |sql, error|
          assert_raises(error, sql.inspect) { table[sql] }
        end
        assert_empty table
      end

      def test_a_text_longer_than_any_message
        with_longest(7) do
          error = assert_raises(ArgumentError) { Statements.text("SELECT 1") }
          assert_equal "the SQL has 8 bytes, and the server takes 7 at most", error.message
          assert_equal "SELECT ", Statements.text("SELECT ")
        end
      end

      def test_what_the_caller_changes_later
        table = Statements.new.table
        sql = +"SELECT 1"
        statement = table[sql]
        sql << "1"
        assert_equal "SELECT 1", statement.sql
        refute_same statement, table[sql]
      end

      def test_bounded_in_number
        table = Statements.new(most: 10).table
        100.times { |number| table["SELECT #{number}"] }
        assert_equal 10, table.size
        assert_equal (90..99).map { |number| "SELECT #{number}" }, table.keys.sort
      end

      def test_bounded_in_bytes
        table = Statements.new.table
        300.times { |number| table["SELECT #{number} -- #{"x" * 100_000}"] }
        assert_operator table.keys.sum(&:bytesize), :<=, 8 * 1024 * 1024
        assert_operator table.size, :>, 70
      end

      def test_slots_are_unique_and_taken_again
        table = Statements.new(most: 10).table
        slots = Array.new(500) { |number| table["SELECT #{number}"].slot }
        assert_operator slots.max, :<, 10
        assert_equal 10, table.values.map(&:slot).uniq.size
      end

      def test_what_is_in_use_stays
        table = Statements.new(most: 10).table
        used = table["SELECT used"]
        100.times do |number|
          Request.query(used, [])
          table["SELECT #{number}"]
          assert_same used, table["SELECT used"]
        end
      end

      def test_all_of_them_in_use
        table = Statements.new(most: 10).table
        30.times { |number| Request.query(table["SELECT #{number}"], []) }
        assert_equal 10, table.size
      end

      def test_a_long_text_is_not_kept
        table = Statements.new.table
        kept = table["SELECT 1"]
        long = "SELECT #{"x" * 200_000}"
        first = table[long]
        assert_equal [long, 1], [first.sql, table.size]
        assert_same kept, table["SELECT 1"]
        assert_operator Array.new(50) { table[long].slot }.max, :<, 3
      end

      def test_a_caller_that_shares_passes_the_gate_each_time
        asked = []
        statements = Statements.new { |statement| asked.push(statement.sql) }
        %w[SELECT SET SET SELECT].each { |sql| assert_same statements.table[sql], statements.shared_table[sql] }
        assert_equal %w[SET SET], asked
      end

      def test_what_does_not_pass_is_known_all_the_same
        statements = Statements.new { raise SharedStateError }
        2.times { assert_raises(SharedStateError) { statements.shared_table["BEGIN"] } }
        assert_equal [%w[BEGIN], []], [statements.table.keys, statements.shared_table.keys]
        assert_raises(SharedStateError) { statements.shared_table["BEGIN #{" " * 200_000}"] }
      end

      def test_what_leaves_the_cache_leaves_it_for_all
        statements = Statements.new(most: 10)
        30.times { |number| statements.shared_table["SELECT #{number}"] && statements.table["SET a.b = #{number}"] }
        assert_equal [10, true], [statements.table.size, (statements.shared_table.keys - statements.table.keys).empty?]
        statements.shared_table["SELECT 1"]
        assert_same statements.table["SELECT 1"], statements.shared_table["SELECT 1"]
      end

      def test_threads_get_the_same
        table = Statements.new.table
        found = Array.new(8) { Thread.new { Array.new(500) { |number| table["SELECT #{number}"] } } }.map(&:value)
        assert_equal 1, found.map { |list| list.map(&:object_id) }.uniq.size
        assert_equal 500, table.values.map(&:slot).uniq.size
      end

      private

      # No test makes a gibibyte.
      def with_longest(bytes)
        longest = Statements.send(:remove_const, :LONGEST)
        Statements.const_set(:LONGEST, bytes)
        yield
      ensure
        Statements.send(:remove_const, :LONGEST)
        Statements.const_set(:LONGEST, longest)
      end
    end
  end
end
