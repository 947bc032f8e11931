# frozen_string_literal: true

# A table of 80,000 rows with much text: whole, and in chunks that callers fetch side by side, each row as typed values.

require_relative "support/bench"
require_relative "support/side_by_side"
require_relative "support/times_table"

module Trunkline
  module Bench
    # Every plan in one process for each side.
    class Chunks < Experiment
      PARALLEL = { 90_000 => 1, 5000 => 5, 2000 => 10, 1000 => 20 }.freeze
      # Plans whose values are compared: all rows of the others are the same statements'.
      CHECKED = ["single", "threads 5000/5", "fibers 1000/20"].freeze

      def run
        check
        times = TimesTable.measure(plans, sides, runs: @options.runs)
        publish([TimesTable.of(times, title: "#{Resources::ROWS} rows, seconds")], { times: times }, figures: figures(times))
      end

      private

      def settings = { "shared_buffers" => "256MB" }

      def fill = Resources.fill(@server)

      def sides
        @sides ||= { "pg" => peer("pg_chunks"), "Trunkline" => peer("trunkline_chunks") }
      end

      def plans
        parallel = SideBySide::KINDS.flat_map do |kind|
          PARALLEL.map { |size, callers| ["#{kind} #{size}/#{callers}", { kind: kind, callers: callers, size: size }] }
        end
        { "single" => { kind: "threads", callers: 1, size: nil }, **parallel.to_h }
      end

      def check
        answers = CHECKED.product(sides.to_a).to_h { |plan, (name, side)| ["#{name}, #{plan}", side.call(:answers, **plans.fetch(plan))] }
        Comparison.agree(answers)
      end

      # @return [Array<Hash>]
      def figures(times)
        single = times["single"]
        best = times.values.map { |sides| sides["pg"] }
        parallel = times.except("single").reject { |name, _| name.start_with?("blocking") }.values.map { |sides| sides["Trunkline"][:real] }.min
        [figure("single, real: pg's best", single["Trunkline"][:real] / best.map { |one| one[:real] }.min),
         figure("single, total: pg's best", total(single["Trunkline"]) / best.map { |one| total(one) }.min),
         figure("best parallel, real: single", parallel / single["Trunkline"][:real], "<= 0.8")]
      end

      def total(one) = one[:user] + one[:system]
    end
  end
end

Trunkline::Bench::Chunks.main(runs: 3)
