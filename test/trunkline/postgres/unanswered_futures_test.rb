# frozen_string_literal: true

require "async"
require "test_helper"

module Trunkline
  module Postgres
    # What a caller with many futures owes to the others.
    class OutstandingTest < TestCase
      def outstanding(most, most_bytes = 1000) = Postgres.const_get(:UnansweredFutures).new(most, most_bytes, "server")

      # A future whose answer was not read; the caller that waits for it has it.
      Answerless = Struct.new(:waited) do
        def done? = !waited.nil?
        def wait = self.waited = true
      end

      def test_a_caller_that_awaits_many_gives_the_others_a_turn
        order = []
        Sync do |task|
          outstanding = outstanding(1000)
          task.async { 100.times { outstanding.make_room(query) }.then { order << :many } }
          task.async { order << :single }
        end
        assert_equal %i[single many], order
      end

      def test_a_caller_with_the_most_waits_for_the_oldest
        outstanding = outstanding(2)
        futures = Array.new(3) { outstanding.make_room(query).then { add(outstanding) } }
        assert_equal [true, nil, nil], futures.map(&:waited)
      end

      def test_an_answered_one_is_not_waited_for_wherever_it_stands
        outstanding = outstanding(2)
        first = add(outstanding)
        add(outstanding, request = Request.companion)
        request.fail(nil)
        outstanding.make_room(query)
        assert_nil first.waited
      end

      # However many fibers have asked for one.
      def test_an_answered_future_is_kept_by_its_owner_alone
        outstanding = outstanding(1000)
        requests = Array.new(300) { Request.companion.tap { |request| Fiber.new { add(outstanding, request) }.resume } }
        kept = ObjectSpace.each_object(Answerless).count
        requests.each { |request| request.fail(nil) }
        add(outstanding, Request.companion)
        GC.start
        assert_operator kept, :>=, 300
        assert_operator ObjectSpace.each_object(Answerless).count, :<, 30
        lists = outstanding.instance_variable_get(:@lists)
        500.times { Fiber.new { add(outstanding, Request.companion.fail(nil)) }.resume }
        assert_operator lists.size, :<=, 20
      end

      private

      def query = Postgres.const_get(:Request).script("SELECT 1")

      def add(outstanding, request = Request.companion) = outstanding.add(Answerless.new, request)
    end
  end
end
