# frozen_string_literal: true

require "test_helper"
require "active_support"
require "active_support/core_ext/time"
require "support/time_zones"

module Trunkline
  # Sums of intervals and times are the server's.
  class IntervalArithmeticTest < TestCase
    include TimeZones

    ZONE = "Europe/Berlin" # in which one hour of the year is left out, and one comes twice
    CHANGES = [Time.utc(2024, 3, 31, 1), Time.utc(2024, 10, 27, 1)].freeze
    COUNT = 300
    private_constant :ZONE, :CHANGES, :COUNT

    def test_times_are_the_servers
      random = Random.new(Minitest.seed)
      in_zone(ZONE) do
        cases = Array.new(COUNT) { [moment(random), interval(random)] }
        assert_equal on_server(cases, "+"), (cases.map { |time, interval| interval.after(time) })
        assert_equal on_server(cases, "-"), (cases.map { |time, interval| interval.before(time) })
      end
    end

    def test_the_zone_stays
      day = Interval.new(days: 1)
      in_zone(ZONE) do
        # An hour that is left out, of the day that the months lead to.
        assert_equal "2030-03-30 03:09:00 +0100", (Interval.new(months: 2, days: -1) + Time.local(2030, 1, 31, 2, 9)).to_s
        assert_equal "2024-04-01 02:30:00 +0200", (day + Time.local(2024, 3, 31, 2, 30) - 3600).to_s
        assert_equal ["2024-03-31 12:00:00 UTC", "2024-03-31 12:00:00 -0500", "2024-03-31 12:00:00 +0100"],
                     [Time.utc(2024, 3, 30, 12), Time.new(2024, 3, 30, 12, 0, 0, "-05:00"), Time.new(2024, 3, 30, 12, 0, 0, "+01:00")].map { |time| (day + time).to_s }
      end
      zone = ActiveSupport::TimeZone[ZONE]
      assert_equal zone.local(2024, 3, 31, 12), day + zone.local(2024, 3, 30, 12)
    end

    def test_dates
      month = Interval.new(months: 1, days: 1)
      assert_equal Date.new(2024, 3, 1), month + Date.new(2024, 1, 31)
      assert_equal Time.utc(2024, 3, 1, 0, 0, 1), (month + Interval.new(microseconds: 1_000_000)) + Date.new(2024, 1, 31)
      assert_equal DateTime.new(2024, 3, 1, 12, 0, 0.5r, "+2"), (month + Interval.new(microseconds: 500_000)) + DateTime.new(2024, 1, 31, 12, 0, 0, "+2")
    end

    def test_intervals
      interval = Interval.new(months: 1, days: -2, microseconds: 3)
      assert_equal Interval.new(months: 3, days: -6, microseconds: 9), interval * 3
      assert_equal Interval.new, interval - interval
      assert_equal Interval.new(months: -1, days: 2, microseconds: -3), -interval
    end

    def test_what_cannot_be_reckoned_with
      day = Interval.new(days: 1)
      assert_match(/not Integer/, assert_raises(TypeError) { day + 1 }.message)
      assert_match(/interval.before\(time\)/, assert_raises(TypeError) { day - Time.now }.message)
      assert_raises(TypeError) { day * 1.5 }
    end

    private

    # Half of them are near a change of the clock.
    def moment(random)
      around = random.rand(2).zero? ? CHANGES.sample(random: random) : Time.utc(1970 + random.rand(80))
      (around + random.rand(-200_000..200_000)).localtime
    end

    def interval(random)
      Interval.new(months: random.rand(-3..3), days: random.rand(-3..3), microseconds: [0, random.rand(-10**11..10**11)].sample(random: random))
    end

    def on_server(cases, operator)
      Trunkline.postgres(postgres_server.uri) do |db|
        db.with(settings: { TimeZone: ZONE }).column("SELECT t #{operator} i FROM unnest($1::timestamptz[], $2::interval[]) AS v (t, i)", *cases.transpose)
      end
    end
  end
end
