# frozen_string_literal: true

require "test_helper"
require "support/simulated_trunk"

module Trunkline
  module Postgres
    # A server that says why it ends an idle session, and closes over what it has not read: to write fails before that is read.
    class LastWordsTest < TestCase
      include SimulatedTrunk

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

      # Of two threads that find the connection idle, one looks at it: what the other wrote meanwhile would count as sent.
      def test_another_thread_checks_the_idle_connection
        looks, go_on = Array.new(2) { Thread::Queue.new }
        @trunk.define_singleton_method(:alive?) { |*by| looks.push(nil) && go_on.pop.nil? && super(*by) }
        @there << ENDS
        looking = Thread.new { @trunk.perform(request) }
        looks.pop
        sending = Thread.new { @trunk.dispatch(second = request) && second }
        Thread.pass while codec.idle?
        go_on.close
        refute looking.value
        assert_unbegun sending.value
      end

      # It goes after its look, and writes what the other has left: here it is interrupted.
      def test_a_thread_that_checks_the_idle_connection_is_interrupted
        looks = Thread::Queue.new
        @trunk.define_singleton_method(:alive?) { |*| looks.push(nil) && sleep }
        @there << BackendMessages.error("N", S: "NOTICE", V: "NOTICE", C: "00000", M: "unasked")
        looking = Thread.new { @trunk.perform(request) }
        looks.pop
        sending = Thread.new { @trunk.dispatch(second = request) && second }
        Thread.pass while codec.idle?
        looking.kill.join
        refute_predicate sending.value, :done?
        refute_empty @there.read_nonblock(1000)
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
