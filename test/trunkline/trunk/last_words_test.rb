# frozen_string_literal: true

require "test_helper"
require "support/played_trunk"

module Trunkline
  module Postgres
    # A server that says why it ends an idle session, and closes over what it has not read: to write fails before that is read.
    class LastWordsTest < TestCase
      include PlayedTrunk

      ENDS = BackendMessages.error("E", S: "FATAL", V: "FATAL", C: "57P05", M: "idle for too long")
      LARGE = "x" * 8_000_000 # more than the buffers of a socket hold
      private_constant :ENDS, :LARGE

      def request(text = "t") = Request.query(statement("SELECT $1::text"), [text])

      def end_session
        @there << ENDS
        @there.close
      end

      # @param requests [Array<Request>] lost
      def assert_unbegun(*requests)
        assert_equal [["idle for too long", false]], requests.map { |request| [request.failure.reason, request.failure.sent] }.uniq
      end

      def test_no_caller_waits
        first, second = request, request
        assert @trunk.dispatch(first)
        end_session
        @trunk.dispatch(second)
        assert_unbegun first, second
      end

      def test_another_caller_waits_for_its_answer
        first, second = request, request
        waiting = Thread.new { @trunk.perform(first) }
        Thread.pass until waiting.stop? && @trunk.state.led?
        end_session
        taken = @trunk.dispatch(second)
        waiting.join
        assert_unbegun first, *(second if taken)
      end

      def test_in_the_middle_of_a_large_request
        waiting = Thread.new { @trunk.perform(large = request(LARGE)) && large }
        @there.read(100_000)
        end_session
        assert_unbegun waiting.value
      end

      def test_a_server_that_says_nothing
        @trunk.dispatch(first = request)
        @there.close
        @trunk.dispatch(second = request)
        assert_equal [true, false], [first, second].map { |request| request.failure.sent }
        assert_match(/pipe|reset|closed/i, second.failure.reason)
      end
    end
  end
end
