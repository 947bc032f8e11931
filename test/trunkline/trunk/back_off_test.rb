# frozen_string_literal: true

require "test_helper"

module Trunkline
  # The pauses between attempts to connect.
  class BackOffTest < TestCase
    # How long the pause is after so many failures in a row, many times.
    #
    # @param took [Numeric] seconds that each attempt has taken
    def pauses(failures, took: 0, **reason)
      now = 0.0
      Waiting.stub(:now, -> { now }) do
        Array.new(200) do
          back_off = BackOff.new
          failures.times do
            back_off.begin_attempt
            now += took
            back_off.failed(**reason)
          end
          (back_off.pause_end || now) - now
        end
      end
    end

    def test_none_before_a_failure
      back_off = BackOff.new
      assert_equal [false, false, nil], [back_off.failing?, back_off.paused?, back_off.pause_end]
    end

    # The clock goes on with each look at it.
    def test_a_pause_that_ends_while_it_is_checked
      now = 0.0
      Waiting.stub(:now, -> { now += 0.06 }) do
        [true, false].each do |probes|
          back_off = BackOff.new(probes: probes)
          back_off.failed(retry_after: 0.07)
          assert_equal [false, false], [back_off.too_early?, back_off.paused?]
          back_off.failed(retry_after: 0.1)
          assert_operator back_off.due_at, :<=, now + 0.06
        end
      end
    end

    def test_of_random_length_that_grows
      assert_operator pauses(1).max, :<=, 0.1
      assert_operator pauses(3).max, :>, 0.1
      assert_operator pauses(50).max, :<=, 2
      assert_operator pauses(50).uniq.size, :>, 100
    end

    def test_a_server_that_takes_its_time_is_left_alone_for_longer
      assert_operator pauses(1, took: 2).max, :<=, 2
      assert_operator pauses(2, took: 2).max, :>, 2
      assert_operator pauses(50, took: 2).max, :<=, 15
      assert_operator pauses(50, took: 2).max, :>, 2
    end

    # A server that refuses for a while as it ends, and takes its time once.
    def test_refusals_do_not_count_as_slow_attempts
      now = 0.0
      Waiting.stub(:now, -> { now }) do
        pauses = Array.new(200) do
          back_off = BackOff.new
          refused = -> { 50.times { back_off.begin_attempt || back_off.failed } && (back_off.pause_end - now) }
          slow = -> { back_off.begin_attempt || (now += 1.5) && back_off.failed && (back_off.pause_end - now) }
          [refused.call, slow.call, refused.call, slow.call]
        end
        assert_equal [true, false, true, true], pauses.transpose.zip([1, 1.5, 1, 1.5]).map { |kind, bound| kind.max > bound }
      end
    end

    # During a long pause it is time for a look now and then, and no attempt is due.
    def test_checks_during_a_pause
      now = 0.0
      Waiting.stub(:now, -> { now }) do
        plain, looking = [BackOff.new, BackOff.new(probes: true)].each { |back_off| back_off.failed(retry_after: 10) }
        assert_equal [[10, true], true], [[plain.due_at, plain.too_early?], looking.too_early?]
        assert_includes 0.5..1.0, looking.due_at
        now = looking.due_at
        assert_equal [false, true, 10], [looking.too_early?, looking.paused?, looking.pause_end]
        looking.begin_attempt
        assert_predicate looking, :too_early?
        now = 10
        assert_equal [nil, false], [looking.due_at, looking.paused?]
      end
    end

    def test_a_server_that_is_full_is_left_alone_for_longer
      assert_operator pauses(1, full: true).max, :>, 0.1
      assert_operator pauses(1, full: true).max, :<=, 1
      assert_operator pauses(50, full: true).max, :>, 2
      assert_operator pauses(50, full: true).max, :<=, 15
    end

    def test_none_after_a_success
      back_off = BackOff.new.tap(&:failed)
      assert_predicate back_off, :failing?
      back_off.succeeded
      assert_equal [false, nil], [back_off.failing?, back_off.pause_end]
    end
  end
end
