# frozen_string_literal: true

require_relative "measure"
require_relative "table"

module Trunkline
  module Bench
    # user, system, total and real seconds of many plans, side by side.
    module TimesTable
      module_function

      # @param plans [Hash{String => Hash}] arguments of the sides' `measure`, by the row's name
      # @param sides [Hash{String => Isolated}] those of them that a side does not know it leaves out
      # @param runs [Integer]
      # @return [Hash{String => Hash{String => Hash}}] plan, side: medians of user, system, real
      def measure(plans, sides, runs:)
        plans.to_h do |name, plan|
          warn name
          results = Array.new(runs) { sides.transform_values { |side| side.call(:measure, **plan) } }
          [name, sides.keys.to_h { |side| [side, medians(results.map { |result| result.fetch(side) })] }]
        end
      end

      # @param times [Hash] what {measure} has returned
      # @return [Table]
      def of(times, title:)
        rows = times.flat_map { |name, sides| sides.map { |side, one| [name, side, *numbers(one)] } + [[]] }
        Table.new(["", "", "user", "system", "total", "real"], rows[0..-2], title: title)
      end

      def numbers(one) = [one[:user], one[:system], one[:user] + one[:system], one[:real]].map { |seconds| format("%.3f", seconds) }

      def medians(results)
        raise "#{results.map { |one| one[:result] }.uniq} rows" unless results.map { |one| one[:result] }.uniq.one?

        Measure.medians(results, %i[user system real])
      end
      private_class_method :numbers, :medians
    end
  end
end
