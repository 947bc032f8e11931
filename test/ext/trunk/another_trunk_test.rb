# frozen_string_literal: true

require "test_helper"
require "support/dispatching"

module Trunkline
  # Whether another trunk should be opened.
  class AnotherTrunkTest < TestCase
    include Dispatching

    def chosen(dispatcher, request) = dispatcher.choose(request)&.name

    # After a while in which nothing is known of those that may run.
    def test_a_long_one_wants_another_where_it_finds_none
      dispatcher = growing(station(:one, long), station(:two))
      assert_equal [nil, false, true], [chosen(dispatcher, long), *Array.new(2) { Clock.pass(0.3) && dispatcher.should_open_another?(long, 0) }]
      assert_equal [false, true], Array.new(2) { Clock.pass(0.3) && dispatcher.should_open_another?(long, 6) }
      refute Clock.pass(0.3) && dispatcher.should_open_another?(long, 99)
      dispatcher.may_grow = false
      refute dispatcher.should_open_another?(long, 0)
    end

    # What is not answered for long cannot be waited for.
    def test_long_ones_of_which_none_is_answered_become_twice_as_many_each_time
      dispatcher = growing(station(:one, long), station(:two))
      assert_equal [1, 2, 4, 8], Array.new(4) { Clock.pass(0.3) && (dispatcher.should_open_another?(long, 7) || true) && dispatcher.allowed }
    end

    # The others are asked now and then.
    def test_while_more_are_tried_the_server_says_when_each_begins
      stations = Array.new(8) { |number| station(number) }
      4.times { |at| stations[at].codec.submit(long) }
      assert_operator stations.first(4).count { |one| asked_to_say?(one) }, :<=, 1
      dispatcher = growing(*stations)
      4.times { Clock.pass(0.3) && dispatcher.should_open_another?(long, 7) }
      sent = [long, long, short].map { |request| dispatcher.choose(request).tap { |station| station.codec.submit(request) } }
      assert_equal [true, true, false], sent.map { |one| asked_to_say?(one) }
    end

    # By a Flush before the end.
    def asked_to_say?(station) = station.codec.output.to_s.include?("H\0\0\0\4")

    def test_a_short_one_wants_another_only_where_every_trunk_is_held_up
      held_up = growing(station(:late, short), station(:long, long))
      Clock.pass(A_MOMENT) until held_up.should_open_another?(short, 0)
      refute held_up.should_open_another?(short, 1), "one is on its way"
      refute growing(late(station(:late, short)), station(:idle)).should_open_another?(short, 0)
    end

    def test_in_the_pause_after_an_attempt_that_failed_those_that_are_open_are_all_there_are
      dispatcher = growing(station(:only))
      dispatcher.growth_pause_end = Clock.now + 0.1
      assert_equal [:only, :only], [chosen(dispatcher, long), chosen(dispatcher, short)]
      Clock.pass(0.2)
      assert_nil chosen(dispatcher, long)
      dispatcher.growth_pause_end = Clock.now + 0.1
      dispatcher.growth_pause_end = nil
      assert_nil chosen(dispatcher, long)
    end

    def test_one_that_could_have_another_keeps_even_the_only_one_free_of_long_ones
      dispatcher = growing(station(:only))
      assert_equal [nil, :only], [chosen(dispatcher, long), chosen(dispatcher, short)]
    end
  end
end
