# frozen_string_literal: true

require "test_helper"
require "support/stalled_fibers"

module Trunkline
  module Postgres
    # A connection whose callers await nothing that is in flight, and do not run: see StallTest.
    class StalledWithoutAnswersTest < TestCase
      include StalledFibers

      # The first has read the answer of the second, which is not resumed.
      def test_one_that_has_its_answer
        answer_two
        look_for(SOON)
        assert_equal [true, 0], [@trunk.loss&.closed, @trunk.active]
        go_on
        assert_equal [[["answer 1"], ["answer 2"]], [false, false], 0], [rows.map(&:first), @fibers.map(&:alive?), @trunk.active]
      end

      def test_one_of_a_session_that_has_its_answer
        assert @trunk.reserve
        answer_two(&:pin)
        look_for(AT_LAST - 1)
        assert_nil @trunk.loss
        look_for(1)
        assert_equal [true, 0], [@trunk.loss&.closed, @trunk.active]
      end

      # A write that waits for a flush over another connection, for example.
      def test_a_caller_that_keeps_the_connection_and_waits_for_something_else
        keep(1)
        look_for(1)
        assert_nil @trunk.loss
        look_for(SOON)
        assert_equal [true, 0], [@trunk.loss.closed, @trunk.active]
        go_on
        assert_equal [[false], 0], [@fibers.map(&:alive?), @trunk.active]
      end

      def test_one_that_tells_each_second_that_it_is_there
        keep(40)
        40.times do
          look_for(0)
          Clock.pass(1)
          go_on
        end
        assert_nil @trunk.loss
      end

      # Its event loop was found to have ended meanwhile, or it has left before.
      def test_a_connection_that_is_shut_by_a_caller_that_is_gone
        @trunk.dispatch(cancelled = request(1))
        cancelled.fail(Abandonment.new(:cancel, true))
        assert @trunk.state.begin_cancel(cancelled, cancelled)
        reply(1)
        look_for(SOON)
        assert @trunk.loss.closed
      end

      # It is awake, and waits on another connection.
      def test_a_leader_that_cancels_what_was_abandoned_ahead_of_it
        resuming do
          [1, 2].each { |number| @trunk.dispatch(@requests[number - 1] = request(number)) }
          @requests[0].fail(Abandonment.new(:cancel, true))
          assert_equal [true, :leads], [@trunk.state.enter(@requests[1]), @trunk.state.lead(@requests[1])]
          assert @trunk.state.begin_cancel(@requests[1], @requests[0])
          Fiber.yield
        end
        @there << answer_to(1) << answer_to(2)
        look_for(SOON)
        assert_equal [true, 0], [@trunk.loss&.closed, @trunk.active]
      end

      # It was dropped where it waited for a cancel to arrive.
      def test_a_caller_that_ends_what_it_has_left
        @trunk.state.begin_ending
        look_for(0)
        assert_nil @trunk.loss
        look_for(SOON)
        assert @trunk.loss.closed
      end
    end
  end
end
