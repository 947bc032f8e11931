# frozen_string_literal: true

require_relative "experiment"
require_relative "data/accounts"

module Trunkline
  module Bench
    # Whose sides select accounts by their primary key.
    class AccountsExperiment < Experiment
      ROWS = 100_000
      SIDE_SECONDS = 2 # of each side's run
      private_constant :SIDE_SECONDS

      private

      def settings = Accounts::SETTINGS

      def fill = Accounts.fill(@server, self.class::ROWS)

      # @param name [String] of a file in peers/
      # @return [Isolated] a side that knows how many accounts there are
      def asker(name, **options) = peer(name, rows: self.class::ROWS, **options)

      # @param sides [Hash{String => Isolated}]
      # @param answers [Integer] how many are compared
      # @return [Hash{String => Hash}] see {Comparison#rates}
      def selects(sides, answers: 1000)
        comparing(sides, ids: ids(answers)) { |comparison| comparison.rates(runs: @options.runs, seconds: SIDE_SECONDS) }
      end

      def ids(count) = Accounts.ids(count, self.class::ROWS)
    end
  end
end
