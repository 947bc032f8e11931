# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # A command's tag counts the rows that its answer must have.
    class RowCountTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      OTHERS = /(\d+) DataRows came where the tag of CommandComplete counts (\d+)/
      private_constant :N, :OTHERS

      def first(*rows) = parse_complete + parameter_description + row_description(N) + bind_complete + rows.join

      def rows(count) = Array.new(count) { |at| data_row(at.to_s) }

      def assert_row_count(bytes, came, told)
        error = assert_raises(ProtocolError) { answer(bytes) }
        assert_equal [came, told].map(&:to_s), OTHERS.match(error.message)&.captures, error.message
      end

      def test_a_row_left_out_or_doubled
        ["SELECT 3", "FETCH 3", "INSERT 0 3", "UPDATE 3", "DELETE 3", "MERGE 3"].each do |tag|
          [0, 1, 2, 4].each do |came|
            begin_session
            ask("SELECT 1")
            assert_row_count first(*rows(came)) + complete(tag), came, 3
          end
          begin_session
          request = ask("SELECT 1")
          answer(first(*rows(3)) + complete(tag) + ready)
          assert_equal [3, 3], [request.rows.size, request.affected_rows]
        end
      end

      def test_of_a_statement_that_the_server_knows
        ask_and_answer("SELECT 1", N, ["1"])
        ask("SELECT 1")
        assert_row_count bind_complete + complete("SELECT 1"), 0, 1
      end

      def test_tags_without_a_number
        request = ask("SELECT 1")
        answer(first(*rows(2)) + complete("EXPLAIN") + ready)
        assert_equal 2, request.rows.size
      end

      # CREATE TABLE AS, or INSERT without RETURNING.
      def test_statements_without_rows
        ["SELECT 5", "INSERT 0 5", "MOVE 5", "COPY 5"].each do |tag|
          begin_session
          request = ask("SELECT 1")
          answer(first_change(tag))
          assert_equal 5, request.affected_rows
        end
      end

      # Rows that the caller does not get: it has left, one has raised, or one is too long.
      def test_rows_that_are_discarded_count
        [0, 1].each do |left_out|
          begin_session(limit: 100)
          request = ask("SELECT 1")
          answer(parse_complete + parameter_description + row_description({ "n" => TEXT }) + bind_complete + data_row("x" * 200))
          answer([data_row("y")].drop(left_out).join)
          next assert_row_count(complete("SELECT 2"), 1, 2) if left_out == 1

          answer(complete("SELECT 2") + ready)
          assert_instance_of UnreadableResult, request.unreadable
        end
      end

      def test_members_of_a_batch_count_their_own
        members = ["SELECT 1", "SELECT 2"].map { |sql| Request.query(statement(sql), []) }
        submit(Request.batch(members, true))
        answer(first(*rows(2)) + complete("SELECT 2"))
        assert_row_count first(*rows(2)) + complete("SELECT 3"), 2, 3
      end

      def portal_part(came) = rows(came).join + frame("s") + ready

      def open_portal
        request = Request.query(statement("SELECT 1"), []).fetch("p", 2)
        submit(request)
        answer(first + portal_part(2))
        submit(request.next_fetch)
      end

      # The tag at the end counts the last part, or, of RETURNING before PostgreSQL 13, all.
      def test_parts_of_a_portal
        ["SELECT 1", "INSERT 0 5"].each do |tag|
          begin_session
          last = submit(open_portal.tap { answer(portal_part(2)) }.next_fetch)
          answer(rows(1).join + complete(tag) + ready)
          assert_equal 1, last.rows.size
        end
        begin_session
        open_portal
        assert_row_count complete("SELECT 1"), 0, 1
      end

      def test_statements_of_a_script_count_their_own
        request = submit(Request.script("..."))
        answer((1..3).map { |count| row_description(N) + rows(count).join + complete("SELECT #{count}") }.join + complete("SELECT 9") + ready)
        assert_equal [1, 2, 3, 0], request.results.map { |_, came| came.size }
        submit(Request.script("..."))
        assert_row_count row_description(N) + rows(2).join + complete("FETCH 1"), 2, 1
      end

      # The tag counts the rows that changed; those that come may be of queries that rules have added.
      def test_what_rules_add_to_a_script
        request = submit(Request.script("...").keep_tag)
        answer(row_description(N) + rows(3).join + row_description(N) + rows(2).join + complete("INSERT 0 1") + complete("UPDATE 7") + ready)
        assert_equal [[3, nil, nil], [2, 1, "INSERT 0 1"], [0, 7, "UPDATE 7"]], request.results.map { |_, came, *told| [came.size, *told] }
      end

      # As where the CommandComplete between two statements is left out.
      def test_a_query_that_no_rule_adds
        submit(Request.script("..."))
        assert_nonsense row_description(N) + rows(1).join + row_description(N) + rows(1).join + complete("SELECT 1"), /RowDescription within/
      end
    end
  end
end
