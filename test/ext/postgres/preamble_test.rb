# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # Statements that travel before another one, in its unit: BEGIN with the first statement of a transaction.
    class PreambleTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      private_constant :N

      def setup
        super
        codec.exclusive = true
      end

      def ask_behind(preamble, sql, *parameters)
        request = Request.query(statement(sql), parameters)
        request.preamble = preamble
        submit(request.pin)
      end

      def run_of(sql) = parse("", sql) + "B".b + counted("\0\0\0\0\0\0\0\0") + execute

      # What the server says to each statement of a preamble.
      def ran(tag = "BEGIN") = parse_complete + bind_complete + complete(tag)

      def test_one_unit_holds_all
        ask_behind(["BEGIN", "SAVEPOINT a"], "SELECT 1")
        assert_equal run_of("BEGIN") + run_of("SAVEPOINT a") + first_execution("t1", "SELECT 1"), sent
        assert_equal 1, codec.in_flight
      end

      def test_the_answer_is_the_statements_own
        request = ask_behind(["BEGIN", "SAVEPOINT a"], "SELECT 1")
        answer(ran + ran("SAVEPOINT") + first_answer(N, ["7"]).sub(ready, ready("T")))
        assert_equal [true, 7, nil, "T"], [request.answered?, request.value, request.error, request.status]
      end

      def test_a_known_statement
        ask_and_answer("SELECT 1", N, ["1"])
        request = ask_behind(["BEGIN"], "SELECT 1")
        assert_equal run_of("BEGIN") + execution("t1", binary: true), sent
        answer(ran + later_answer(["\0\0\0\7"]))
        assert_equal 7, request.value
      end

      def test_the_affected_rows_are_the_statements_own
        request = ask_behind(["BEGIN"], "DELETE")
        answer(ran("INSERT 0 5") + first_change("DELETE 3", "T"))
        assert_equal 3, request.affected_rows
      end

      # Nothing is known of the statement then, neither good nor bad.
      def test_a_preamble_that_fails
        %w[0A000 26000 22023 42601].each do |sqlstate|
          begin_session
          request = ask_behind(["BEGIN ISOLATION LEVEL SERIALIZABLE"], "SELECT 1")
          answer(parse_complete + bind_complete + failure(sqlstate) + ready)
          assert_equal [false, false, "I"], [request.answered?, request.outdated?, request.status], sqlstate
          sent
          ask("SELECT 1")
          assert_equal close("t1") + sync + first_execution("t2", "SELECT 1"), sent, sqlstate
        end
      end

      def test_a_preamble_that_fails_before_a_known_statement
        ask_and_answer("SELECT 1", N, ["1"])
        request = ask_behind(["BEGIN ISOLATION LEVEL SERIALIZABLE"], "SELECT 1")
        answer(parse_complete + bind_complete + failure("0A000") + ready)
        refute_predicate request, :outdated?
        sent
        ask("SELECT 1")
        assert_equal execution("t1", binary: true), sent
      end

      def test_a_statement_that_fails_behind_its_preamble
        request = ask_behind(["BEGIN"], "SELECT 1/0")
        answer(ran + failure + ready("E"))
        assert_equal [false, "E"], [request.answered?, request.status]
      end

      def test_an_answer_that_ends_within_the_preamble
        ask_behind(["BEGIN", "SAVEPOINT a"], "SELECT 1")
        assert_raises(ProtocolError) { answer(ran + ready("T")) }
      end

      def test_the_same_question_again_has_none
        again = ask_behind(["BEGIN"], "SELECT 1").again
        sent
        submit(again)
        assert_equal execution("t1"), sent
      end

      def test_anything_but_texts
        request = Request.query(statement("SELECT 1"), [])
        assert_raises(TypeError) { request.preamble = "BEGIN" }
        assert_raises(TypeError) { request.preamble = [:BEGIN] }
      end

      def test_a_commit_that_rolled_back
        { "COMMIT" => false, "ROLLBACK" => true }.each do |tag, expected|
          begin_session
          request = ask("COMMIT")
          answer(first_command(tag))
          assert_equal expected, request.rolled_back?, tag
        end
      end
    end
  end
end
