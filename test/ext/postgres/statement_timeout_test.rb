# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # When the server itself is told how long a request may take, and what it answers to that; cancels and fences.
    class StatementTimeoutTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      LIMITED = /tlimit.*60000ms|60000ms/m
      private_constant :N, :LIMITED

      def ask_in_time(sql, seconds = 60)
        submit(Request.query(statement(sql), []).limit(seconds))
      end

      def answer_to_limit = bind_complete + data_row("60s") + complete("SELECT 1")

      def test_a_statement_that_is_not_known
        request = ask_in_time("SELECT n")
        assert_match(LIMITED, sent)
        assert_predicate request, :server_timeout?
        answer(parse_complete + ready + parse_complete + parameter_description + row_description(N) + answer_to_limit + later_answer(["7"]))
        assert_equal [true, [[7]]], [request.answered?, request.rows]
      end

      # Where the deadline is beyond a power of two, and the present is not, their difference is rounded.
      def test_the_limit_is_the_same_at_any_time_of_the_clock
        (21..30).each do |power|
          now = Request.query(statement("SELECT n"), []).limit(60).deadline - 60
          Clock.pass((2**power) - 59 - now)
          40.times { |number| ask_in_time("SELECT #{number}").tap { Clock.pass(1.234567) } }
        end
        assert_equal({ "60000ms" => 400 }, sent.scan(/\d+ms/).tally)
      end

      def test_a_statement_that_is_known_and_short
        ask_and_answer("SELECT n", N, ["1"])
        request = ask_in_time("SELECT n")
        refute_match(LIMITED, sent)
        refute_predicate request, :server_timeout?
      end

      # It was slow once; whether the server was slow is not known.
      def test_what_is_in_doubt_is_limited
        ask("SELECT n")
        Clock.pass(0.2)
        answer(first_answer(N, ["7"]))
        assert_predicate ask_in_time("SELECT n"), :server_timeout?
      end

      def test_the_limit_is_prepared_once
        2.times { |number| ask_in_time("SELECT #{number}") }
        assert_equal 1, sent.scan("set_config").size
      end

      # An idle session ended as they came: the server has begun neither. Of another end that is not known.
      def test_a_session_that_ends_before_the_limit_is_prepared
        { "57P05" => "unsent", "57P01" => "sent" }.each do |sqlstate, known|
          begin_session
          request = ask_in_time("SELECT n")
          send_bytes(codec.output.to_s.bytesize)
          answer(BackendMessages.error("E", S: "FATAL", V: "FATAL", C: sqlstate, M: "terminating connection"))
          codec.fail(woken) { |sent| sent ? "sent" : "unsent" }
          assert_equal [known, "terminating connection"], [request.failure, codec.closing_error_message], sqlstate
        end
      end

      def test_requests_that_the_server_does_not_limit
        refute_predicate ask_in_time("VACUUM n"), :server_timeout?
        refute_predicate ask("SELECT n"), :server_timeout?
        codec.exclusive = true
        refute_predicate ask_in_time("SELECT 2"), :server_timeout?
      end

      def test_an_error_of_the_limited_one
        request = ask_in_time("SELECT n")
        answer(parse_complete + ready + parse_complete + parameter_description + row_description(N) + answer_to_limit + failure("57014") + ready)
        assert_equal [true, false], [request.done?, request.bystander?]
      end

      # The one that was aimed at had come to its end.
      def test_a_bystander
        aimed, hit = Array.new(2) { ask("SELECT n") }
        state = ConnectionState.new(codec)
        assert state.begin_cancel(aimed, aimed)
        assert_same aimed, state.aim(aimed, aimed)
        answer(first_answer(N, ["1"]) + failure("57014") + ready)
        assert_equal [[[1]], false, true], [aimed.rows, aimed.bystander?, hit.bystander?]
      end

      def test_behind_a_fence_nothing_is_hit
        aimed = ask("SELECT n")
        state = ConnectionState.new(codec)
        state.begin_cancel(aimed, aimed)
        state.aim(aimed, aimed)
        fence = aimed.fence
        assert state.fence_off(aimed, fence)
        assert_equal sync, sent[-5..]
        assert_equal :fenced, state.finish_cancel(aimed)
        answer(first_answer(N, ["1"]) + ready)
        assert_predicate fence, :done?
        state.lift
        refute_predicate ask("SELECT n").tap { answer(failure("57014") + ready) }, :bystander?
      end

      def test_what_may_be_sent_again
        assert_equal [true, false, false], ["SELECT n", "CALL n()", "VACUUM n"].map { |sql| ask(sql).repeatable? }
        refute_predicate Request.companion, :repeatable?
      end
    end
  end
end
