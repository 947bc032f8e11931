# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # Requests that are taken back before they are sent.
    class WithdrawTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      FAILURE = "it was taken back"
      private_constant :N, :FAILURE

      def test_a_statement_that_is_not_known_yet_is_still_prepared
        request = ask("SELECT $1", 7)
        assert_equal true, withdraw(request)
        assert_equal parse("t1", "SELECT $1") + describe("t1") + sync, codec.output.to_s
        follower = ask("SELECT $1", 8)
        answer(parse_complete + parameter_description(INT4) + row_description(N) + ready + later_answer(["8"]))
        assert_equal [true, [[8]]], [request.done?, follower.rows]
      end

      # Its answer may come before its caller has given it up.
      def test_what_was_taken_back_is_not_answered_without_rows
        request = ask("SELECT $1", 7)
        withdraw(request)
        answer(parse_complete + parameter_description(INT4) + row_description(N) + ready)
        assert_equal [true, false, FAILURE], [request.done?, request.answered?, request.failure]
      end

      def test_the_others_are_where_they_were
        ask_and_answer("SELECT $1", N, ["1"], types: [INT4], parameters: [1])
        before = codec.output.to_s
        requests, units = Array.new(3) { |number| [ask("SELECT $1", number), sent] }.transpose
        assert_equal true, withdraw(requests[1])
        assert_equal before + units[0] + sync + units[2], codec.output.to_s
        assert_equal [true, true], [withdraw(requests[2]), withdraw(requests[0])]
        assert_equal before + (sync * 3), codec.output.to_s
      end

      def test_what_was_sent_stays
        request = ask("SELECT $1", 7)
        codec.output.to_s.bytesize.then { |size| send_bytes(size) }
        assert_equal false, withdraw(request)
      end

      def test_what_is_not_in_flight
        request = Request.query(statement("SELECT 1"), [])
        assert_equal false, withdraw(request)
        answered = ask_and_answer("SELECT 1", N, ["1"])
        assert_equal false, withdraw(answered)
        assert_raises(TypeError) { withdraw("SELECT 1") }
      end

      def test_a_description_has_no_effect_to_take_back
        assert_equal false, withdraw(submit(Request.describe(statement("SELECT 1"))))
      end

      def test_nothing_late_is_submitted
        request = Request.query(statement("SELECT 1"), []).limit(0)
        assert_nil codec.submit(request)
        assert_equal [true, ""], [codec.idle?, codec.output.to_s]
      end

      private

      def withdraw(request) = codec.withdraw(request, FAILURE)
    end
  end
end
