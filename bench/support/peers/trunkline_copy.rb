# frozen_string_literal: true

require "trunkline"
require_relative "../measure"
require_relative "../data/copied_rows"
require_relative "../data/fingerprint"

module Trunkline
  module Bench
    module Peers
      # COPY with rows as Arrays of values, both ways.
      class TrunklineCopy
        # @param direction [String] "in" or "out"
        def initialize(uri:, direction:)
          @db = Trunkline.postgres(uri)
          @direction = direction
        end

        # @return [String] the same for the same values
        def answers(rows:)
          copy_in(rows)
          taken = []
          @db.copy_out(CopiedRows::COPY_OUT) { |row| taken << row }
          Fingerprint.of(taken)
        end

        # @return [Hash] wall, cpu, objects; result, the number of rows
        def measure(rows:)
          made(rows) if @direction == "in"
          Measure.run { @direction == "in" ? copy_in(rows) : @db.copy_out(CopiedRows::COPY_OUT) { |row| row } }
        end

        private

        def copy_in(rows)
          @db.query("TRUNCATE copied")
          @db.copy_in(CopiedRows::COPY_IN) { |copy| made(rows).each { |row| copy << row } }
        end

        def made(rows)
          @made = Array.new(rows) { |number| CopiedRows.row(number) } unless @made&.size == rows
          @made
        end
      end
    end
  end
end
