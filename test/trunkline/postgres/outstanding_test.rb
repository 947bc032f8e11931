# frozen_string_literal: true

require "async"
require "test_helper"

module Trunkline
  module Postgres
    # What a caller with many futures owes to the others.
    class OutstandingTest < TestCase
      def outstanding(most) = Postgres.const_get(:Outstanding).new(most)

      # A future whose answer nobody has read; whoever waits for it has it.
      Answerless = Struct.new(:waited) do
        def done? = !waited.nil?
        def wait = self.waited = true
      end

      def test_who_asks_for_many_gives_the_others_a_turn
        order = []
        Sync do |task|
          outstanding = outstanding(1000)
          task.async { 100.times { outstanding.make_room }.then { order << :many } }
          task.async { order << :single }
        end
        assert_equal %i[single many], order
      end

      def test_who_has_the_most_waits_for_his_oldest
        outstanding = outstanding(2)
        futures = Array.new(3) { outstanding.make_room.then { outstanding.add(Answerless.new) } }
        assert_equal [true, nil, nil], futures.map(&:waited)
      end

      def test_what_is_answered_is_not_waited_for
        outstanding = outstanding(1)
        answered = outstanding.add(Answerless.new(:before))
        outstanding.make_room
        assert_equal :before, answered.waited
      end
    end
  end
end
