# frozen_string_literal: true

require_relative "table"

module Trunkline
  module Bench
    # What the project promises of a bench, beside what was measured.
    module Figures
      private

      # @param name [String]
      # @param value [Numeric]
      # @param bound [String] such as ">= 4"; empty where nothing is promised
      # @return [Hash] where a side has done nothing in its time, and no ratio is one: with its text, which JSON knows
      def figure(name, value, bound = "") = { name: name, value: value.finite? ? value.round(2) : value.to_s, bound: bound }

      # @param figures [Array<Hash>] see {#figure}
      # @return [Table]
      def figures_table(figures)
        Table.new(%w[figure measured wanted], figures.map { |figure| figure.values_at(:name, :value, :bound) }, title: "Figures")
      end
    end
  end
end
