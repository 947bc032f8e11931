# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # Requests -> bytes, compared with messages written out.
    class SubmitTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      private_constant :N

      def test_the_messages_are_what_the_protocol_says
        ask("SELECT 1")
        assert_equal "P\0\0\0\x12t1\0SELECT 1\0\0\0D\0\0\0\x08St1\0B\0\0\0\x10\0t1\0\0\0\0\0\0\1\0\0E\0\0\0\x09\0\0\0\0\0S\0\0\0\4".b, sent
      end

      def test_a_first_execution
        ask("SELECT $1", 7)
        assert_equal parse("t1", "SELECT $1") + describe("t1") + execution("t1", ["7"]), sent
      end

      def test_a_first_execution_behind_the_first
        ask("SELECT $1", 7)
        sent
        ask("SELECT $1", 8)
        assert_equal execution("t1", ["8"]), sent
      end

      def test_later_executions_in_the_format_of_the_columns
        ask_and_answer("SELECT 1", N, ["1"])
        ask_and_answer("SELECT j", { "n" => INT4, "j" => 99_999 }, %w[1 2])
        ask_and_answer("UPDATE", N, ["1"])
        ["SELECT 1", "SELECT j"].each { |sql| ask(sql) }
        assert_equal execution("t1", binary: true) + execution("t2"), sent
      end

      def test_what_was_requested_in_binary_is_read_as_binary
        ask_and_answer("SELECT 1", N, ["1"])
        request = ask("SELECT 1")
        answer(later_answer(["\0\0\1\0"]))
        assert_equal 256, request.value
      end

      def test_what_was_requested_as_text_is_read_as_text_whatever_is_known_by_then
        first, second = ask("SELECT 1"), ask("SELECT 1")
        answer(first_answer(N, ["1"]))
        third = ask("SELECT 1")
        answer(later_answer(["2"]) + later_answer(["\0\0\0\3"]))
        assert_equal [1, 2, 3], [first, second, third].map(&:value)
      end

      def test_a_description_alone
        submit(Request.describe(statement("SELECT $1")))
        assert_equal parse("t1", "SELECT $1") + describe("t1") + sync, sent
        answer(parse_complete + parameter_description(INT4) + row_description(N) + ready)
        assert_equal [INT4], statement("SELECT $1").parameter_types
        submit(Request.describe(statement("SELECT $1")))
        assert_equal describe("t1") + sync, sent
      end

      def test_a_script
        submit(Request.script("SELECT 1; ü"))
        assert_equal simple_query("SELECT 1; ü"), sent
      end

      # What is remembered may be older than a column, and the server would cast from it.
      def test_another_connection_determines_the_types_itself
        ask_and_answer("SELECT $1", N, ["1"], types: [INT8, BYTEA], parameters: [1, "a"])
        ask_and_answer("SELECT $2", N, ["1"], types: [INT8, TEXT], parameters: [1, "a"])
        begin_session
        ask("SELECT $2", 7, "x")
        assert_equal parse("t1", "SELECT $2") + describe("t1") + execution("t1", %w[7 x]), sent
        ask("SELECT $1", 7, "x")
        assert_equal parse("t2", "SELECT $1") + describe("t2") + execution("t2", %w[7 x]), sent
      end

      def test_names_are_counted_and_never_come_back
        500.times do |number|
          ask("SELECT #{number}")
          assert_equal first_execution("t#{number + 1}", "SELECT #{number}"), sent
        end
      end

      def test_a_names_digits
        codec.forget_statements
        names = Array.new(1001) do
          ask("SELECT 1")
          codec.forget_statements
          sent[/\AP....(t\d+)\0/mn, 1]
        end
        assert_equal (1..1001).map { |number| "t#{number}" }, names
      end

      def test_submit_tells_how_much_waits
        request = Request.query(statement("SELECT 1"), [])
        assert_equal first_execution("t1", "SELECT 1").bytesize, codec.submit(request)
        assert_equal 1, codec.in_flight
      end

      # The way there and back, or the client's own delay, may have been part of the time it took: the next one tells.
      def test_of_one_that_seems_slow_the_server_says_when_it_begins
        request = ask("SELECT 1")
        Clock.pass(0.05)
        answer(first_answer({ "a" => INT4 }, ["1"]))
        sent
        submit(request.again)
        assert_equal bind("t1", binary: true) + flush + execute + sync, sent
        answer(later_answer(["\0\0\0\1"]))
        submit(request.again)
        assert_equal execution("t1", binary: true), sent
      end

      def test_it_takes_nothing_but_requests
        [nil, 1, "SELECT 1", Object.new, statement("SELECT 1")].each do |wrong|
          assert_raises(TypeError) { codec.submit(wrong) }
        end
        assert_predicate codec, :idle?
        assert_empty sent
      end
    end
  end
end
