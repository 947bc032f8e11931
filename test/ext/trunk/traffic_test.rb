# frozen_string_literal: true

require "test_helper"
require "support/dispatching"
require "support/simulated_traffic"

module Trunkline
  # What becomes of short queries, and what is believed of all, beside traffic of other kinds. Times are those of a clock that goes from
  # one event to the next: nothing here takes longer on a busy machine.
  class TrafficTest < TestCase
    include Dispatching

    FAST = 0.00005 # seconds of the server's processor
    private_constant :FAST

    def teardown
      @traffic&.close
      super
    end

    # Short queries, 2,000 a second, beside others.
    #
    # @yieldparam traffic [SimulatedTraffic]
    def traffic(**options)
      @traffic = SimulatedTraffic.new(**options)
      statements = Array.new(4) { unknown }
      @traffic.comes(:fast, 2000) { |random| [statements[random.rand(4)], FAST, 0] }
      yield @traffic
      @traffic.run(0.5)
      @traffic
    end

    # @return [Statement] of which nothing is known
    def unknown = STATEMENT.new("SELECT #{@unknown = @unknown.to_i + 1}", @unknown)

    def assert_fast(seconds, traffic, part = 0.99) = assert_operator(traffic.quantile(:fast, part), :<, seconds)

    # --- never seen ---

    def test_short_ones_that_were_never_seen_delay_no_others
      traffic = traffic(most: 32) { |others| others.comes(:new, 300) { [unknown, FAST * 2, 0] } }
      traffic.run(1)
      assert_fast 0.001, traffic, 1
      assert_equal [{}, 4, true], [traffic.changes, traffic.size, traffic.quantile(:new, 1) < 0.001]
    end

    # A query that was sent over the same connection before it was late waits for one answer, and no other does.
    def test_long_ones_that_were_never_seen
      traffic = traffic(most: 32) { |others| others.comes(:new, 20) { [unknown, 0, 0.05] } }
      traffic.run(1)
      assert_fast 0.001, traffic, 0.95
      assert_equal [{}, 4, true], [traffic.changes, traffic.size, traffic.quantile(:new, 1) < 0.06]
    end

    # --- the same statement, short and long ---

    def test_one_that_takes_a_thousand_times_as_long_with_some_parameters_stays_short
      various = unknown
      traffic = traffic(most: 32) { |others| others.comes(:various, 2000) { |random| [various, *(random.rand < 0.005 ? [0, 0.05] : [FAST, 0])] } }
      traffic.run(1)
      assert_fast 0.001, traffic
      assert_equal [{}, 4, true], [traffic.changes, traffic.size, traffic.quantile(:various, 0.9) < 0.001]
    end

    # On one side or the other, but for good.
    def test_those_around_the_threshold_do_not_flap
      [0.001, 0.0015, 0.002, 0.0025, 0.003].each do |seconds|
        around = unknown
        traffic = traffic(processors: 4) { |others| others.comes(:around, 500) { |random| [around, seconds * Math.exp(random.rand - 0.5), 0] } }
        traffic.run(1)
        assert_fast 0.003, traffic
        assert_operator traffic.changes[:around], :<=, 1, seconds
        assert_equal 0, traffic.changes[:fast], seconds
      end
    end

    # --- a server whose processors are busy ---

    def test_reports_that_take_two_thirds_of_the_processors
      [4, 32].each do |most|
        report = unknown
        traffic = traffic(most: most) { |others| others.comes(:report, 250) { [report, 0.005, 0] } }
        traffic.run(1)
        assert_fast 0.002, traffic
        assert_equal({ report: 1 }, traffic.changes)
        assert_operator traffic.dispatcher.allowed, :<=, 16
      end
    end

    # More than it can do, by a little: now and then there are many at once, and what is seen beside few says nothing of these.
    def test_reports_that_come_in_bursts
      report = unknown
      traffic = traffic(most: 32) { |others| others.comes(:report, 400) { [report, 0.005, 0] } }
      traffic.run(4)
      assert_fast 0.0005, traffic
      assert_operator traffic.dispatcher.allowed, :<=, 10
    end

    # Twice as many take twice as long.
    def test_a_step_that_is_one_too_many_is_taken_back_at_once
      allowed = Array.new(10) do |seed|
        report = unknown
        traffic = traffic(most: 32, seed: seed) { |others| others.comes(:report, 250) { [report, 0.005, 0] } }
        traffic.dispatcher.allowed.tap { traffic.close && @traffic = nil }
      end
      assert_operator allowed.max, :<=, 8, allowed
    end

    # Two at once get no more done than one; a third may be tried.
    def test_reports_beside_one_processor
      report = unknown
      traffic = traffic(processors: 1) { |others| others.comes(:report, 20) { [report, 0.005, 0] } }
      traffic.run(1)
      traffic.comes(:report, 160) { [report, 0.005, 0] }
      traffic.run(0.5)
      traffic.run(1)
      assert_operator traffic.dispatcher.allowed, :<=, 3
      assert_fast 0.0008, traffic
    end

    # More than it can do, from the first query on, and as many connections as they like.
    def test_an_overload_of_reports_runs_few_at_once
      report = unknown
      traffic = traffic(most: 32) { |others| others.comes(:report, 500) { [report, 0.005, 0] } }
      traffic.run(1)
      assert_fast 0.002, traffic
    end

    # What is measured beside the first of them is not what one takes alone.
    def test_an_overload_whose_first_reports_come_in_a_burst
      [3, 5].each do |seed|
        report = unknown
        traffic = traffic(most: 32, seed: seed) { |others| others.comes(:report, 600) { [report, 0.005, 0] } }
        traffic.run(2)
        assert_fast 0.002, traffic
        traffic.close && @traffic = nil
      end
    end

    # They wait for no processor, and one that was short by chance when it ran alone must not make the others look slow for ever.
    def test_those_that_wait_ten_times_as_long_with_some_parameters_are_not_held_back
      waiting = unknown
      traffic = traffic(most: 64) { |others| others.comes(:waiting, 300) { |random| [waiting, 0, 0.005 * (10**random.rand)] } }
      traffic.run(1)
      traffic.run(1)
      assert_operator traffic.quantile(:waiting, 0.5), :<, 0.1
      assert_fast 0.001, traffic
    end

    # Those that were measured alone may have been short by chance. That fewer at once are no faster shows it, but chance has its way in that, too.
    def test_those_that_wait_for_very_different_times_are_not_held_back
      times = Array.new(10) do |seed|
        waiting = unknown
        traffic = traffic(most: 64, seed: seed) { |others| others.comes(:waiting, 300) { |random| [waiting, 0, -Math.log(1 - random.rand) * 0.02] } }
        traffic.run(1.5)
        traffic.run(1)
        traffic.quantile(:waiting, 0.5).tap { traffic.close && @traffic = nil }
      end
      assert_operator times.max, :<, 0.1, times
    end

    # The unloaded time is measured again: else all that run look as if they were too many.
    def test_those_that_take_longer_by_themselves_are_not_held_back
      waiting = unknown
      seconds = 0.02
      traffic = traffic(most: 64) { |others| others.comes(:waiting, 200) { [waiting, 0, seconds] } }
      traffic.run(1)
      seconds = 0.08
      traffic.run(2)
      traffic.run(1)
      assert_operator traffic.quantile(:waiting, 0.95), :<, 0.1
    end

    # A probe finds the same unloaded time again, and slow start after it ends at once.
    def test_probes_change_nothing_where_processors_are_busy
      report = unknown
      traffic = traffic(most: 32) { |others| others.comes(:report, 380) { [report, 0.005, 0] } }
      traffic.run(3)
      assert_fast 0.0005, traffic
      assert_operator traffic.dispatcher.allowed, :<=, 6
    end

    # More than it can do, for a while: no query is taken for another kind than its own, and afterwards all is as before.
    def test_an_overload_that_ends
      report = unknown
      coming = true
      traffic = traffic { |others| others.comes(:report, 600) { [report, 0.005, 0] if coming } }
      traffic.run(0.5)
      coming = false
      traffic.run(1)
      traffic.run(0.5)
      assert_fast 0.001, traffic, 1
      assert_equal({ report: 1 }, traffic.changes)
    end

    # All of the same kind, short, and nearly as many as the processors can bear.
    def test_short_ones_that_keep_the_processors_busy_stay_short
      busy = unknown
      traffic = traffic(most: 32) { |others| others.comes(:busy, 2700) { |random| [busy, 0.0006 * (0.5 + random.rand), 0] } }
      traffic.run(1)
      assert_equal [{}, 4], [traffic.changes, traffic.size]
    end

    # --- a client that stops ---

    # As while it collects garbage: the answers that came meanwhile are late, and no others.
    def test_a_client_that_stops_now_and_then
      slow = unknown
      traffic = traffic do |others|
        others.comes(:slow, 30) { [slow, 0, 0.01] }
        others.stops(0.2, 0.03)
      end
      traffic.run(1)
      assert_fast 0.001, traffic, 0.8
      assert_fast 0.035, traffic, 1
      assert_equal({ slow: 1 }, traffic.changes)
    end

    def test_nor_does_it_open_connections_for_short_ones
      traffic = traffic(most: 32) { |others| others.stops(0.2, 0.1) }
      traffic.run(1)
      assert_equal [{}, 4], [traffic.changes, traffic.size]
    end

    # --- a slow link ---

    # There is never a connection without something on its way there, from the first query on.
    def test_the_way_is_never_taken_for_the_servers_time
      [0.001, 0.005, 0.02].each do |way|
        slow = unknown
        traffic = traffic(round_trip: way) { |others| others.comes(:slow, 15) { [slow, 0, 0.05] } }
        traffic.run(1)
        assert_fast way + 0.001, traffic, 0.5
        assert_equal 0, traffic.changes[:fast], way
      end
    end
  end
end
