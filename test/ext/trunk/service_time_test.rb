# frozen_string_literal: true

require "test_helper"

module Trunkline
  # What is believed of how long a server takes for requests of one kind.
  class ServiceTimeTest < TestCase
    MILLISECOND = 0.001
    SERVICE = Postgres.const_get(:Statement).new("SELECT 1", 0).service.class

    def service(*seconds, sure: true) = measured(SERVICE.new, *seconds, sure: sure)

    def measured(service, *seconds, sure: true)
      seconds.each { |each| service.measure(each, sure) }
      service
    end

    def test_what_was_never_seen_counts_a_millisecond
      assert_equal [MILLISECOND, false, nil], [service.mean, service.long?, service.figures]
    end

    def test_it_follows_what_is_measured
      assert_in_delta 0.0003, service(*[0.0003] * 50).mean, 1e-9
      assert_in_delta 0.05, service(*[0.05] * 100).mean, 1e-6
    end

    def test_one_becomes_long_after_a_few_executions_and_short_again_much_later
      long = service(*[0.05] * 4)
      assert_predicate long, :long?
      assert_predicate measured(long, *[0.001] * 50), :long?
      refute_predicate measured(long, *[0.0001] * 50), :long?
    end

    # Between the two thresholds it stays what it was.
    def test_one_around_the_threshold_does_not_flap
      random = Random.new(7)
      service = service(*[0.0003] * 20)
      long = Array.new(2000) { measured(service, 0.0009 * Math.exp(random.rand - 0.5)).long? }
      assert_equal [false], long.uniq
      measured(service, *[0.05] * 50)
      long = Array.new(2000) { measured(service, 0.0012 * Math.exp(random.rand - 0.5)).long? }
      assert_equal [true], long.uniq
    end

    # The client was held up, or the server for once.
    def test_a_stall_does_not_slander
      service = service(*[0.0001] * 20)
      assert_operator measured(service, 30.0).mean, :<, 0.0002
      refute_predicate measured(service, *[0.0001] * 7, 30.0), :long?
    end

    # Two in a hundred take a thousand times as long: it stays short, and late heads keep others away.
    def test_one_that_varies_a_thousandfold
      random = Random.new(3)
      service = service(*[0.00005] * 20)
      refute_includes Array.new(5000) { measured(service, random.rand < 0.02 ? 0.05 : 0.00005).long? }, true
    end

    # A client that is busy itself reads late, for weeks.
    def test_what_is_not_sure_makes_nothing_long
      service = service(*[0.02] * 100, sure: false)
      assert_equal [false, true], [service.long?, service.wants_start_report?]
      assert_operator service.mean, :<=, MILLISECOND
    end

    def test_one_sure_measurement_ends_the_doubts
      service = service(*[0.02] * 100, sure: false)
      assert_in_delta 0.0001, measured(service, 0.0001).mean, 1e-9
      refute_predicate service, :wants_start_report?
    end

    def test_a_sure_one_that_is_long_agrees_and_the_next_decides
      service = service(0.05, sure: false)
      states = Array.new(4) { measured(service, 0.05).then { |now| [now.long?, now.wants_start_report?] } }
      assert_equal [[false, true], [true, false]], [states.first, states.last]
    end

    def test_what_is_not_sure_lowers_it_rightly
      service = service(*[0.05] * 100)
      refute_predicate measured(service, *[0.0001] * 50, sure: false), :long?
    end

    def test_a_long_one_is_looked_at_now_and_then
      service = service(*[0.05] * 40)
      assert_equal 2, Array.new(16) { measured(service, 0.05, sure: false).wants_start_report? }.count(true)
    end

    def test_no_time_is_negative
      assert_equal 0.0, service(-1.0).mean
    end

    def test_figures
      count, mean, p99, wait, longs = service(*[0.05] * 100).figures
      assert_equal [100, 0.0, 0], [count, wait, longs]
      assert_in_delta 0.05, mean, 1e-9
      assert_in_delta 0.05, p99, 0.007
    end
  end
end
