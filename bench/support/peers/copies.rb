# frozen_string_literal: true

require_relative "../measure"
require_relative "../data/copied_rows"
require_relative "../data/fingerprint"

module Trunkline
  module Bench
    module Peers
      # COPY of rows as Arrays of values, in one direction; how each is done is for the sides to say.
      module Copies
        # @return [String] the same for the same values
        def answers(rows:)
          copy_in(rows)
          taken = []
          copy_out { |row| taken << row }
          Fingerprint.of(taken)
        end

        # @return [Hash] wall, cpu, objects; result, the number of rows
        def measure(rows:)
          made(rows) if @direction == "in"
          Measure.run { @direction == "in" ? copy_in(rows) : copy_out { |row| row } }
        end

        private

        def made(rows)
          @made = Array.new(rows) { |number| CopiedRows.row(number) } unless @made&.size == rows
          @made
        end
      end
    end
  end
end
