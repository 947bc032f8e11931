# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # Behind a pooler another server process may run what was prepared, and prepare it anew, behind an ALTER TABLE: nothing that was learnt from
    # the first one counts.
    class PooledTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      TEXT = { "n" => 25 }.freeze
      private_constant :N, :TEXT

      def setup
        super
        codec.behind_pooler!
      end

      def test_each_execution_tells_what_it_returns
        assert_equal 1, ask_and_answer("SELECT n", N, ["1"]).value
        [[TEXT, "\0\0\0\1"], [N, "1"], [{ "n" => INT4, "m" => 25 }, "2", "b"], [TEXT, "a"]].each do |columns, *texts|
          request = ask("SELECT n")
          refute_predicate request, :parses?
          answer(bind_complete + row_description(columns) + data_row(*texts) + complete + ready)
          assert_equal columns.values.zip(texts).map { |type, text| type == INT4 ? text.to_i : text }, request.rows.first
        end
      end

      # Four bytes of an integer would be a float where the column has become one.
      def test_parameters_go_as_text
        ask_and_answer("SELECT $1", N, ["1"], types: [INT4], parameters: [1])
        ask("SELECT $1", 65)
        assert_equal bind("t1", ["65"]) + describe_portal + execute + sync, sent
      end

      def test_an_answer_without_a_description_ends_the_connection
        ask_and_answer("SELECT n", N, ["1"])
        ask("SELECT n")
        assert_raises(ProtocolError) { answer(bind_complete + data_row("1") + complete + ready) }
      end

      # Nor does it where a pooler has betrayed itself, as a server does not lose what it has prepared.
      def test_a_statement_that_was_lost
        begin_session
        @statements = {}
        ask_and_answer("SELECT n", N, ["1"])
        request = ask("SELECT n")
        answer(failure("26000") + ready)
        submit(request.anew)
        answer(first_answer(N, ["1"]))
        assert_equal 2, (ask("SELECT n").tap { answer(bind_complete + row_description(N) + data_row("2") + complete + ready) }).value
      end
    end
  end
end
