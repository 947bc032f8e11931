# frozen_string_literal: true

require "test_helper"
require "support/simulated_trunk"
require "support/schedulers/dropping"

module Trunkline
  module Postgres
    # A fiber that led a connection when its event loop was dropped, and that is resumed after another caller has taken the lead.
    class LostLeadTest < TestCase
      include SimulatedTrunk

      def request = Request.query(statement("SELECT t"), [])

      # @return [Integer] requests that have come to the server since the last call
      def requests_heard = @there.read_nonblock(1 << 16).scan(/S\0\0\0\x04/n).size

      # Otherwise the next request would stay in the output until something comes.
      def test_the_leader_that_sleeps_counts_as_asleep
        fiber = Dropping.run { Fiber.schedule { @trunk.perform(request) } }
        Dropping.run do
          Fiber.schedule { @trunk.perform(request) }
          assert_equal 2, requests_heard
          fiber.resume
          Fiber.schedule { @trunk.perform(request) }
          assert_equal [1, false], [requests_heard, fiber.alive?]
        end
      end

      def test_it_makes_room_no_longer
        fiber = Dropping.run { Fiber.schedule { @trunk.reader.make_room(request, 60) { false } } }
        assert_equal :leads, @trunk.state.lead(request)
        fiber.resume
        refute_predicate fiber, :alive?
      end

      def test_it_follows_an_answer_no_longer
        followed = nil
        fiber = Dropping.run { Fiber.schedule { @trunk.dispatch(followed = request) && @trunk.reader.follow(followed) { false } } }
        assert_equal :leads, @trunk.state.lead(request)
        fiber.resume
        assert_equal [false, true], [fiber.alive?, followed.done?]
      end
    end
  end
end
