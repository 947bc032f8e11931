# frozen_string_literal: true

require "trunkline"
require_relative "../measure"
require_relative "../data/fingerprint"
require_relative "../data/typed_values"

module Trunkline
  module Bench
    module Peers
      # One connection of Trunkline, a whole table of many types.
      class TrunklineTypedRows
        def initialize(uri:)
          @db = Trunkline.postgres(uri, connections: 1, max_connections: 2)
        end

        # @return [String] the same for the same values
        def answers = Fingerprint.of(rows)

        # @return [Hash] wall, cpu, objects; result, the number of rows
        def measure = Measure.run { rows.size }

        private

        def rows = @db.query(TypedValues::SELECT, 1, TypedValues::ROWS).rows
      end
    end
  end
end
