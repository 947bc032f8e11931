# frozen_string_literal: true

require "test_helper"
require "support/dispatching"

module Trunkline
  # Each connection has one dispatcher.
  class DispatcherConnectionsTest < TestCase
    include Dispatching

    def test_room_is_counted_no_further_than_callers_wait
      only = dispatcher(station(:only))
      assert_equal [1, 5000], [1, 5000].map { |waiting| only.room_for(short, waiting) }
    end

    def test_a_connection_of_another_dispatcher
      own, others = station(:own), station(:others)
      first, second = dispatcher(own), dispatcher(others)
      error = assert_raises(ArgumentError) { first.choose_among([own, others], [own.state, others.state]) }
      assert_equal "another dispatcher chooses among these connections", error.message
      assert_equal [:own, 1, :others, 1], [chosen(first, short), first.idle_count, chosen(second, short), second.idle_count]
    end

    def test_a_connection_that_goes_to_another_dispatcher
      own, left = station(:own), station(:left)
      first, second = dispatcher(own, left), Dispatcher.new(1, 1, 3600)
      first.choose_among([own], [own.state])
      second.choose_among([left], [left.state])
      assert_equal [:own, 1, :left, 1], [chosen(first, short), first.idle_count, chosen(second, short), second.idle_count]
    end

    def test_a_connection_twice
      own = station(:own)
      dispatcher = dispatcher(own)
      assert_raises(ArgumentError) { dispatcher.choose_among([own, own], [own.state, own.state]) }
      assert_equal [:own, 1], [chosen(dispatcher, short), dispatcher.idle_count]
    end

    private

    def chosen(dispatcher, request) = dispatcher.choose(request)&.name
  end
end
