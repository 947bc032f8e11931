# frozen_string_literal: true

require_relative "trunkline_rows"
require_relative "../data/typed_values"

module Trunkline
  module Bench
    module Peers
      # One connection of Trunkline, a whole table of many types.
      class TrunklineTypedRows < TrunklineRows
        private

        def rows = @db.query(TypedValues::SELECT, 1, TypedValues::ROWS).rows
      end
    end
  end
end
