# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # What a replica refuses a read by: a statement that each connection prepares once.
    class ReadGuardUnitTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      CHECK = "SELECT 1 / ($1 <= 7)::int4"
      private_constant :N, :CHECK

      def guard(text = "5") = [0, CHECK, [INT4].freeze, [text].freeze].freeze

      def request(sql = "SELECT 1", text: "5", preamble: nil)
        Request.query(statement(sql), []).tap do |made|
          made.preamble = preamble if preamble
          made.guard = guard(text)
        end
      end

      def guarded(text = "5") = bound("tguard0", text) + execute
      def passed = bind_complete + data_row("1") + complete

      # A Bind with all in text.
      def bound(name, text) = "B".b + counted("\0#{name}\0\0\0\0\1".b + [text.bytesize].pack("N") + text + "\0\0")

      def known
        submit(request)
        answer(parse_complete + ready + passed + first_answer(N, ["1"]))
        sent
      end

      def test_it_is_prepared_once_in_a_unit_of_its_own
        first = submit(request)
        assert_equal parse("tguard0", CHECK, INT4) + sync + guarded + first_execution("t1", "SELECT 1"), sent
        answer(parse_complete + ready + passed + first_answer(N, ["7"]))
        assert_equal 7, first.value
        later = submit(request(text: "6"))
        assert_equal guarded("6") + execution("t1", binary: true), sent
        answer(passed + later_answer(["\0\0\0\7"]))
        assert_equal 7, later.value
      end

      def test_it_runs_behind_what_is_set_and_before_the_statement
        known
        asked = submit(request(preamble: ["SET LOCAL a.b = 1"]))
        assert_equal parse("", "SET LOCAL a.b = 1") + "B".b + counted("\0\0\0\0\0\0\0\0") + execute + guarded + execution("t1", binary: true), sent
        answer(parse_complete + bind_complete + complete("SET") + passed + later_answer(["\0\0\0\7"]))
        assert_equal 7, asked.value
      end

      def test_a_replica_refuses
        known
        asked = submit(request)
        answer(bind_complete + failure("22012") + ready)
        assert_equal [false, true, false], [asked.answered?, asked.refused?, asked.outdated?]
        sent
        submit(request)
        assert_equal guarded + execution("t1", binary: true), sent, "nothing is prepared again"
      end

      # The server has lost it, as behind DISCARD ALL of a pooler: nothing was refused, and all is prepared again.
      def test_a_guard_that_the_server_has_lost
        known
        asked = submit(request)
        answer(failure("26000") + ready)
        assert_equal [false, false, true], [asked.answered?, asked.refused?, asked.outdated?]
        sent
        again = asked.anew
        again.guard = guard
        submit(again)
        assert_equal parse("tguard0", CHECK, INT4) + sync + guarded + first_execution("t2", "SELECT 1"), sent
      end

      def test_a_guard_of_an_atomic_batch
        known
        batch = Request.batch(Array.new(2) { Request.query(statement("SELECT 1"), []) }, true)
        batch.guard = guard
        submit(batch)
        assert_equal guarded + [bind("t1", binary: true), execute].join * 2 + sync, sent
        answer(passed + (bind_complete + data_row("\0\0\0\7") + complete) * 2 + ready)
        assert_equal [7, 7], batch.members.map(&:value)
      end

      # What is not kept prepared is sent each time.
      def test_a_session_that_prepares_nothing
        @codec = Codec.new({}, LIMIT, PlanEpoch.new, "")
        submit(request)
        assert_equal parse("", CHECK, INT4) + bound("", "5") + execute + parse("", "SELECT 1") + describe("") + execution(""), sent
      end

      def test_an_answer_in_another_order
        [ready, parse_complete, bind_complete + ready, passed + parse_complete, data_row("1"), passed + passed].each do |wrong|
          begin_session
          @statements = {}
          known
          submit(request)
          assert_raises(ProtocolError) { answer(wrong) }
        end
      end

      def test_what_is_no_guard
        asked = Request.query(statement("SELECT 1"), [])
        assert_raises(TypeError) { asked.guard = "SELECT 1" }
        parts = [0, CHECK, [INT4].freeze, ["5"].freeze]
        [parts, parts.first(3).freeze, [8, *parts.drop(1)].freeze, [-1, *parts.drop(1)].freeze, [0, CHECK, [INT4] * 3, ["5"] * 3].freeze, [0, CHECK, [].freeze, ["5"].freeze].freeze,
         [0, CHECK, [INT4], ["5"]].freeze].each { |wrong| assert_raises(ArgumentError) { asked.guard = wrong } }
        [[nil, *parts.drop(1)], [0, :SELECT, *parts.drop(2)], [0, CHECK, [INT4].freeze, [5].freeze], [0, CHECK, nil, nil]].each { |wrong| assert_raises(TypeError) { asked.guard = wrong.freeze } }
        asked.guard = nil
      end
    end
  end
end
