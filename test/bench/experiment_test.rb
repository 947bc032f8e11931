# frozen_string_literal: true

require "test_helper"
require "json"
require_relative "../../bench/support/bench"

module Trunkline
  module Bench
    class ExperimentTest < Trunkline::TestCase
      # Its server is a list of what has been asked of it.
      class Played < Experiment
        def run
          publish([Table.new(%w[server], [[@server.join(" ")]])], { server: @server }, figures: [figure("sides", 2.0, ">= 1")], curves: { "up" => [] })
        end

        private

        def start = ["started"]
        def fill = @server << "filled"
        def versions = { "ruby" => RUBY_VERSION }
      end

      # Whose sides say what they are told to.
      class Unequal < Played
        Side = Struct.new(:answer, :closed) do
          def answers? = true
          def call(_method) = answer
          def close = self.closed = true
        end

        attr_reader :sides

        def run(*answers)
          @sides = answers.each_with_index.to_h { |answer, number| [number, Side.new(answer)] }
          comparing(@sides) { "compared" }
        end
      end

      def test_the_server_is_filled_and_figures_stand_last
        found = JSON.parse(capture_io { Played.new(options(json: true)).run }.first)
        assert_equal [["server"], %w[figure measured wanted]], found["tables"].map { |table| table["headers"] }
        assert_equal [%w[started filled], [{ "name" => "sides", "value" => 2.0, "bound" => ">= 1" }], { "up" => [] }], found.values_at("server", "figures", "curves")
      end

      def test_what_is_measured_once_has_no_medians
        assert_match(/^Medians of 3\. ruby/, capture_io { Played.new(options(runs: 3)).run }.first)
        assert_match(/^One run\. ruby/, capture_io { Played.new(options(runs: nil)).run }.first)
      end

      def test_sides_that_say_the_same_are_timed_and_ended
        unequal = Unequal.new(options)
        assert_equal "compared", unequal.run(1, 1)
        assert_equal [true], unequal.sides.values.map(&:closed).uniq
      end

      def test_sides_that_do_not_are_ended
        unequal = Unequal.new(options)
        assert_raises(RuntimeError) { unequal.run(1, 2) }
        assert_equal [true], unequal.sides.values.map(&:closed).uniq
      end

      private

      def options(**given) = Options.new(json: false, save: false, runs: 1, **given)
    end
  end
end
