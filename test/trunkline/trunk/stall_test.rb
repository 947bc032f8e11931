# frozen_string_literal: true

require "test_helper"
require "support/stalled_fibers"

module Trunkline
  module Postgres
    # A connection whose callers are fibers of an event loop that does not go on, as another thread sees it: it is blocked, or was dropped.
    class StallTest < TestCase
      include StalledFibers

      def test_what_is_answered_is_taken_in_and_the_connection_ends
        in_flight(1)
        reply(1)
        look_for(SOON)
        assert_equal [[["answer 1"]], true], [rows.first, @trunk.loss.closed]
        assert_match(/event loop .* was blocked or dropped/, @trunk.loss.reason)
      end

      def test_a_leader_that_continues_after_all_has_its_answer
        in_flight(1)
        reply(1)
        look_for(SOON)
        go_on
        assert_equal [[["answer 1"]], [false], 0], [rows.first, @fibers.map(&:alive?), @trunk.active]
      end

      def test_nothing_ends_within_a_second
        in_flight(1)
        reply(1)
        look_for(0)
        Clock.pass(0.9)
        look_for(0)
        assert_equal [nil, false], [@trunk.loss, @requests[0].done?]
      end

      # A statement may take as long as it likes.
      def test_one_that_is_not_answered_yet
        in_flight(1)
        look_for(AT_LAST)
        assert_nil @trunk.loss
        reply(1)
        look_for(SOON)
        assert_equal [["answer 1"]], rows.first
      end

      # The rest wakes it.
      def test_a_leader_whose_answer_is_there_in_part_leads_on
        in_flight(1)
        answer = answer_to(1)
        @there << answer[0, 20]
        look_for(SOON)
        assert_equal [nil, true], [@trunk.loss, @trunk.state.leads?(@requests[0])]
        @there << answer[20..]
        go_on
        assert_equal [[["answer 1"]], [false], nil], [rows.first, @fibers.map(&:alive?), @trunk.loss]
      end

      # What was read counts as no progress of theirs: else an answer of many pieces would keep the connection for good.
      def test_an_answer_that_comes_in_pieces
        in_flight(1)
        answer = answer_to(1)
        @there << answer[0, 20]
        look_for(SOON)
        @there << answer[20..]
        look_for(1)
        assert_equal [["answer 1"]], rows.first
      end

      # The first would sleep until the second is answered.
      def test_a_leader_before_others_is_left_alone
        in_flight(2)
        reply(1)
        look_for(AT_LAST - 1)
        assert_equal [nil, [false, false]], [@trunk.loss, @requests.map(&:done?)]
      end

      def test_what_is_not_answered_in_the_end_is_lost
        in_flight(2)
        reply(1)
        look_for(AT_LAST)
        assert_equal [[["answer 1"]], @trunk.loss], [rows.first, @requests[1].failure]
      end

      # A transaction is rolled back by it.
      def test_a_session_is_left_alone_for_longer
        assert @trunk.reserve
        in_flight(1, &:pin)
        reply(1)
        look_for(AT_LAST - 1)
        assert_nil @trunk.loss
        look_for(1)
        assert_equal [[["answer 1"]], true], [rows.first, @trunk.loss.closed]
      end

      # It was dropped where it waited for a cancel to arrive, so no other leads either.
      def test_one_that_has_its_question_cancelled
        in_flight(1)
        @trunk.state.leave(@requests[0])
        assert_equal [true, false], [@trunk.state.enter(@requests[0]), @trunk.state.led?]
        reply(1)
        look_for(SOON)
        assert_equal [[["answer 1"]], true], [rows.first, @trunk.loss.closed]
      end

      # The next leader was called, and does not come.
      def test_a_leader_that_was_called
        in_flight(2)
        reply(1)
        go_on(0)
        reply(2)
        look_for(SOON)
        assert_equal [[["answer 1"]], [["answer 2"]], true], [*rows, @trunk.loss.closed]
        go_on
        assert_equal [[false, false], 0], [@fibers.map(&:alive?), @trunk.active]
      end

      def test_what_was_not_written
        fill = "x" * (1 << 20)
        in_flight(1, fill)
        assert_operator heard(@there), :<, 1 << 20
        look_for(SOON)
        assert_operator heard(@there), :>, 0
        assert_nil @trunk.loss
      end

      # Only seconds count in which a caller that waits has looked twice: a process may have been stopped.
      def test_a_process_that_was_stopped
        in_flight(2)
        reply(1)
        @trunk.end_stall
        Clock.pass(3600)
        @trunk.end_stall
        assert_nil @trunk.loss
      end

      def test_an_event_loop_that_continues_now_and_then
        in_flight(1)
        10.times do
          look_for(0)
          Clock.pass(0.9)
          @there << notice
          look_for(0)
          go_on
        end
        assert_nil @trunk.loss
      end

      # Its fibers come when this one waits.
      def test_the_calling_fibers_own_event_loop
        Dropping.run do
          Fiber.schedule { @trunk.perform(@requests[0] = request(1)) }
          reply(1)
          Fiber.schedule { look_for(AT_LAST) }
          assert_nil @trunk.loss
        end
      end

      def test_a_thread_that_does_not_continue
        @trunk.dispatch(waiting = request(1))
        @trunk.state.enter(waiting)
        assert_equal :leads, @trunk.state.lead(waiting)
        reply(1)
        look_for(AT_LAST)
        assert_nil @trunk.loss
      end
    end
  end
end
