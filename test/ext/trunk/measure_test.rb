# frozen_string_literal: true

require "test_helper"
require "support/dispatching"

module Trunkline
  # What answers tell of how long the server needs, on a clock that stands unless the test lets time pass.
  class MeasureTest < TestCase
    include Dispatching

    FIRST = %W[1 t\0\0 n].freeze # of a statement that the connection has not seen yet
    BEGUN = "2"
    REST = ["C\0", "ZI"].freeze

    def setup
      super
      @codec = codec
    end

    # What is prepared stays so.
    def codec = CODEC.new({}, 1 << 20)

    def ask(statement) = @codec.submit(query(statement))

    # Time passes, and then all of these messages are read at once.
    def after(seconds, *messages)
      Clock.pass(seconds)
      messages.flatten.each { |message| @codec.input << frame(message) }
      @codec.receive([])
    end

    def mean(statement) = statement.service.mean

    # Of the first one that is sent, the server is to say when it begins.
    def known = statement(0.01)

    def test_the_servers_word_that_it_begins
      statement = known
      ask(statement)
      after(0.03, FIRST, BEGUN)
      after(0.05, REST)
      assert_in_delta 0.01 + ((0.04 - 0.01) / 8), mean(statement), 1e-5 # one counts for four times the mean at most
    end

    # A cancel may come as soon as it has begun; and in a transaction that has failed nothing is begun. What is abandoned the next time is still
    # worth a cancel.
    def test_what_was_cut_short_is_not_taken_for_short
      %w[57014 25P02].each do |code|
        @codec = codec
        [STATEMENT.new("SELECT 0", 0), statement(0.01)].each do |statement|
          expected = mean(statement)
          ask(statement)
          after(0.0001, FIRST, "ESERROR\0C#{code}\0Mended\0\0", "ZI")
          assert_equal expected, mean(statement)
          assert_predicate station(:another, query(statement)).state, :head_blocks?
        end
      end
    end

    # It was sent before anything was known, and others of its kind have shown since that they take long: it is worth a cancel as they are.
    def test_one_that_was_sent_before_its_kind_was_known_to_be_long
      statement = STATEMENT.new("SELECT 0", 0)
      sent = station(:early, query(statement))
      assert_predicate sent.state, :head_blocks?
      100.times { statement.service.measure(0.1, true) }
      assert_predicate sent.state, :head_blocks?
    end

    def test_what_was_cut_short_takes_so_long_at_least
      statement = statement(0.0003)
      30.times do |nth|
        ask(statement)
        after(0.0001, (FIRST if nth.zero?).to_a, BEGUN)
        after(0.5, "ESERROR\0C57014\0Mended\0\0", "ZI")
      end
      assert_predicate statement.service, :long?
    end

    # The client was busy, and has read that word with the answer: nothing is known but that it took no longer than both.
    def test_a_word_that_arrives_with_the_answer_decides_nothing
      statement = known
      ask(statement)
      after(0.05, FIRST, BEGUN, REST)
      assert_in_delta 0.01, mean(statement), 1e-6
    end

    def test_nor_does_one_that_was_read_late
      statement = known
      ask(statement)
      after(0.05, FIRST, BEGUN)
      after(0.001, REST)
      assert_in_delta 0.01, mean(statement), 1e-6
    end

    def test_but_what_was_sent_a_moment_ago_took_no_longer
      statement = known
      ask(statement)
      after(0.002, FIRST, BEGUN, REST)
      assert_in_delta 0.01 - ((0.01 - 0.002) / 8), mean(statement), 1e-6
    end

    # Each would have taken nothing, the client reading so late.
    def test_long_ones_that_are_answered_together
      statement = statement(0.01)
      3.times { ask(statement) }
      after(0.05, [FIRST, BEGUN, REST], [BEGUN, REST] * 2)
      assert_in_delta 0.01, mean(statement), 1e-6
    end

    def test_short_ones_that_are_answered_together_share_the_time
      statement = statement(0.0001)
      101.times { ask(statement) }
      after(0.0001, FIRST, BEGUN, REST)
      after(0.01, [BEGUN, REST] * 100)
      assert_operator mean(statement), :<, 0.0001
    end

    # Connecting takes several round trips, and more.
    def test_what_connecting_took_is_no_round_trip
      statement = STATEMENT.new("SELECT 1", 0)
      ConnectionState.new(@codec).round_trip = 0.5
      ask(statement)
      after(0.05, FIRST, BEGUN, REST)
      assert_predicate statement.service, :wants_start_report?
    end

    def test_over_a_slow_link_the_way_is_not_the_servers
      short = STATEMENT.new("SELECT 1", 0)
      12.times do |time|
        ask(short)
        after(0.02, time.zero? ? FIRST : [], BEGUN, REST)
      end
      assert_equal [false, false, true], [short.service.wants_start_report?, short.service.long?, mean(short) < 0.0005]
    end

    # There is always one under way before the answer to the last one is there.
    def test_nor_is_it_where_none_has_ever_come_alone
      short = statement(0.0001)
      ConnectionState.new(@codec).round_trip = 0.06
      ask(short)
      50.times do |time|
        Clock.pass(0.015)
        ask(short)
        after(0.005, time.zero? ? FIRST : [], BEGUN, REST)
      end
      assert_equal [false, true], [short.service.long?, mean(short) < 0.0005]
    end

    def test_a_long_one_is_found_there_too
      long = STATEMENT.new("SELECT 1", 0)
      40.times do |time|
        ask(long)
        after(0.02, time.zero? ? FIRST : [], BEGUN)
        after(0.01, REST)
      end
      assert_predicate long.service, :long?
    end

    # A client that is never in time, and a server that needs ten milliseconds: now and then the word comes alone.
    def test_a_client_that_is_always_late_does_not_change_what_is_known
      statement = statement(0.01)
      random = Random.new(1)
      long = Array.new(2000) do |time|
        late = 0.015 * random.rand
        ask(statement)
        after(late, time.zero? ? FIRST : [], BEGUN, late > 0.01 ? REST : [])
        after(0.015, REST) if late <= 0.01
        statement.service.long?
      end
      assert_equal [true], long.uniq
    end
  end
end
