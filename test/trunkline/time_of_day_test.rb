# frozen_string_literal: true

require "test_helper"

module Trunkline
  class TimeOfDayTest < TestCase
    def test_parts
      time = TimeOfDay.new(45_296_789_012)
      assert_equal [12, 34, 56, 789_012, nil], [time.hour, time.minute, time.second, time.usec, time.utc_offset]
      end_of_day = TimeOfDay.new(TimeOfDay::DAY)
      assert_equal [24, 0, 0, 0], [end_of_day.hour, end_of_day.minute, end_of_day.second, end_of_day.usec]
    end

    def test_text_is_the_servers
      { [0] => "00:00:00", [86_400_000_000] => "24:00:00", [45_296_500_000] => "12:34:56.5", [1] => "00:00:00.000001",
        [0, 0] => "00:00:00+00", [0, 19_800] => "00:00:00+05:30", [0, -19_815] => "00:00:00-05:30:15", [0, 5] => "00:00:00+00:00:05",
        [0, -3600] => "00:00:00-01" }.each { |arguments, text| assert_equal text, TimeOfDay.new(*arguments).to_s }
      assert_equal "#<Trunkline::TimeOfDay 00:00:00+01>", TimeOfDay.new(0, 3600).inspect
    end

    def test_equality
      assert_equal TimeOfDay.new(1, 60), TimeOfDay.new(1, 60)
      assert TimeOfDay.new(1).eql?(TimeOfDay.new(1))
      assert_equal 1, [TimeOfDay.new(1, 60), TimeOfDay.new(1, 60)].uniq.size
      [TimeOfDay.new(2), TimeOfDay.new(1, 0), 1, nil].each { |other| refute_equal TimeOfDay.new(1), other }
    end

    def test_order
      assert_operator TimeOfDay.new(1), :<, TimeOfDay.new(2)
      assert_operator TimeOfDay.new(3_600_000_000, 3600), :<, TimeOfDay.new(1, 0)
      # The same moment: the server puts the eastern zone first.
      assert_operator TimeOfDay.new(3_600_000_000, 3600), :<, TimeOfDay.new(0, 0)
      assert_nil TimeOfDay.new(1) <=> TimeOfDay.new(1, 0)
      assert_nil TimeOfDay.new(1) <=> 1
    end

    def test_it_never_changes
      assert_predicate TimeOfDay.new(1), :frozen?
    end

    def test_what_is_out_of_range
      [[-1], [86_400_000_001], [0, 86_400], [0, -86_400]].each do |arguments|
        assert_raises(ArgumentError) { TimeOfDay.new(*arguments) }
      end
      [[1.5], ["1"], [nil], [0, "1"]].each { |arguments| assert_raises(TypeError) { TimeOfDay.new(*arguments) } }
    end
  end
end
