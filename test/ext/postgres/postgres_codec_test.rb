# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # The conversation as a whole: what a server answers, in whatever pieces it comes.
    class PostgresCodecTest < TestCase
      include CodecTesting

      COLUMNS = { "id" => QueryMessages::INT4, "name" => QueryMessages::TEXT, "none" => QueryMessages::INT8 }.freeze
      private_constant :COLUMNS

      # Questions and the bytes that answer them: every message that a server sends to queries.
      def conversation
        requests = [ask("SELECT a", 1), ask("SELECT a", 2), ask("SELECT broken"), ask("UPDATE", "x"), ask(""),
                    submit(Request.describe(statement("SELECT b"))), submit(Request.script("SELECT 1; SELECT 2"))]
        [requests, conversation_bytes]
      end

      def conversation_bytes
        parameter_status("in_hot_standby", "off") + first_answer(COLUMNS, ["7", "ü", nil], ["-8", "", nil], types: [INT4]) +
          bind_complete + notice("careful") + data_row("9", "x", nil) + complete + notification("jobs", "payload") + ready +
          failure("42601", "syntax error") + ready + update_and_empty_query +
          parse_complete + parameter_description + row_description({ "b" => TEXT }) + ready + script_answer
      end

      def update_and_empty_query
        parse_complete + parameter_description(TEXT) + no_data + bind_complete + complete("UPDATE 3") + ready +
          parse_complete + parameter_description + no_data + bind_complete + no_data + empty_query + ready
      end

      def script_answer
        row_description({ "a" => INT4 }) + data_row("1") + complete + row_description({ "b" => INT4, "c" => TEXT }) +
          data_row("2", nil) + complete + complete("CREATE TABLE") + ready
      end

      def assert_conversation(requests)
        first, second, broken, update, empty, described, script = requests
        assert requests.all?(&:done?)
        assert_equal [[[7, "ü", nil], [-8, "", nil]], [[9, "x", nil]], [], []], [first, second, update, empty].map(&:rows)
        assert_equal [2, 1, 3, nil], [first, second, update, empty].map(&:affected_rows)
        assert_equal [%w[id name none], [INT4, TEXT, INT8]], [first.description.columns, first.description.types]
        assert_equal [[], ["careful"], []], [first, second, update].map { |one| noticed(one.notices).map { |fields| fields[:message] } }
        assert_equal "42601", ErrorFields.parse(broken.error)[:sqlstate]
        assert_equal [%w[b], []], [described.description.columns, described.rows]
        assert_equal [[[1]], [[2, nil]], []], script.results.map { |_, rows, _| rows }
        assert_equal [1, 1, nil], (script.results.map { |_, _, affected| affected })
        assert_equal [true, true, false, true, true, true], requests.first(6).map(&:answered?)
        assert_equal "off", codec.parameters["in_hot_standby"]
        assert_predicate codec, :idle?
        assert_predicate codec.input, :empty?
      end

      def test_all_at_once
        requests, bytes = conversation
        answer(bytes)
        assert_conversation(requests)
      end

      def test_every_byte_on_its_own
        requests, bytes = conversation
        bytes.each_char { |byte| answer(byte) }
        assert_conversation(requests)
      end

      def test_split_at_every_byte
        conversation_bytes.bytesize.times do |cut|
          begin_session
          @statements = {}
          requests, bytes = conversation
          answer(bytes.byteslice(0, cut))
          answer(bytes.byteslice(cut..))
          assert_conversation(requests)
        end
      end

      def test_nothing_is_done_before_its_last_byte_is_there
        requests, bytes = conversation
        done = bytes.each_char.map do |byte|
          answer(byte)
          requests.count(&:done?)
        end
        ends = bytes.enum_for(:scan, /Z\0\0\0\x05I/n).map { Regexp.last_match.end(0) }
        assert_equal (1..bytes.bytesize).map { |count| ends.count { |place| place <= count } }, done
      end

      def test_one_message_in_pieces_beside_whole_ones
        requests = Array.new(50) { |number| ask("SELECT a", number) }
        bytes = first_answer({ "a" => TEXT }, ["x" * 5000], types: [INT4]) + (later_answer(["y" * 5000]) * 49)
        bytes.scan(/.{1,4099}/mn) { |piece| answer(piece) }
        assert_equal [["x" * 5000], *[["y" * 5000]] * 49], requests.flat_map(&:rows)
      end

      def test_answers_belong_to_the_questions_in_their_order
        requests = Array.new(300) { |number| ask("SELECT #{number % 7}") }
        seen = {}
        requests.each_index do |number|
          row = [number.to_s]
          answer(seen[number % 7] ? later_answer(row) : first_answer({ "n" => TEXT }, row))
          seen[number % 7] = true
          assert_equal number + 1, requests.count(&:done?)
          assert_equal 299 - number, codec.in_flight
        end
        assert_equal (0...300).map(&:to_s), requests.map(&:value)
      end

      def test_parked_waiters_are_named_once_and_others_not
        parked, running = ask("SELECT 1").park, ask("SELECT 2")
        answer(first_answer({ "n" => INT4 }, ["1"]) + first_answer({ "n" => INT4 }, ["2"]))
        assert_equal [parked], woken
        refute_predicate parked, :parked?
        assert_predicate running, :done?
      end

      def test_an_error_is_its_requests_own
        before, wrong, after = ask("SELECT 1"), ask("SELECT 2"), ask("SELECT 3")
        answer(first_answer({ "n" => INT4 }, ["1"]) + parse_complete + parameter_description + row_description({ "n" => INT4 }) + bind_complete +
               data_row("2") + failure + ready + first_answer({ "n" => INT4 }, ["3"]))
        assert_equal [true, false, true], [before, wrong, after].map(&:answered?)
        assert_equal "22012", ErrorFields.parse(wrong.error)[:sqlstate]
        assert_nil before.error || after.error
      end

      def test_an_error_behind_the_completed_command
        request = ask("COMMIT")
        answer(first_command("COMMIT").delete_suffix(ready) + failure("40001") + ready)
        refute_predicate request, :answered?
        assert_equal "40001", ErrorFields.parse(request.error)[:sqlstate]
      end

      def test_the_first_of_two_errors_counts
        request = ask("SELECT 1")
        answer(failure("22012") + failure("25P02") + ready)
        assert_equal "22012", ErrorFields.parse(request.error)[:sqlstate]
      end

      def test_a_shared_session_within_a_transaction_has_leaked
        request = ask("BEGIN")
        refute answer(first_command("BEGIN", "T"))
        assert_equal ["T", true, false], [request.status, request.done?, request.answered?]
      end

      def test_a_callers_own_session_may_be_in_a_transaction
        codec.exclusive = true
        request = submit(Request.query(statement("BEGIN"), []).pin)
        assert answer(first_command("BEGIN", "T"))
        assert_equal ["T", true], [request.status, request.answered?]
      end

      def test_the_last_words_of_a_server
        assert_nil codec.closing_error_message
        answer(failure("57P01", "terminating connection"))
        assert_equal "terminating connection", codec.closing_error_message
      end

      # Of a transaction that took too long it is known that nothing behind it was begun.
      def test_what_is_queued_behind_a_transaction_that_took_too_long
        { "25P04" => %w[sent unsent unsent], "57P01" => %w[sent sent unsent] }.each do |sqlstate, known|
          begin_session
          requests = %w[1 2 3].map { |number| ask("SELECT #{number}") }
          send_bytes(first_execution("t1", "SELECT 1").bytesize + 1)
          answer(parse_complete + BackendMessages.error("E", S: "FATAL", V: "FATAL", C: sqlstate, M: "terminating connection"))
          codec.fail(woken) { |sent| sent ? "sent" : "unsent" }
          assert_equal known, requests.map(&:failure), sqlstate
        end
      end

      def test_a_closed_session_takes_no_more
        codec.close
        assert_equal terminate, sent
        assert_nil codec.submit(Request.query(statement("SELECT 1"), []))
        codec.close
        assert_empty sent
      end

      def test_failing_tells_apart_what_was_sent
        gone, partly, kept = ask("SELECT 1"), ask("SELECT 2"), ask("SELECT 3").park
        whole = first_execution("t1", "SELECT 1").bytesize
        send_bytes(whole + 1)
        codec.fail(woken) { |sent| sent ? "sent" : "unsent" }
        assert_equal %w[sent sent unsent], [gone, partly, kept].map(&:failure)
        assert [gone, partly, kept].all?(&:done?)
        assert_equal [kept], woken
        assert_nil codec.submit(Request.query(statement("SELECT 4"), []))
        assert_predicate codec, :idle?
      end

      def test_lost_statements_are_parsed_again_under_new_names
        ask_and_answer("SELECT 1", { "n" => INT4 }, ["1"])
        codec.forget_statements
        ask("SELECT 1")
        assert_equal parse("t2", "SELECT 1") + describe("t2") + execution("t2"), sent
      end
    end
  end
end
