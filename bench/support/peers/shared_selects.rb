# frozen_string_literal: true

require_relative "../measure"

module Trunkline
  module Bench
    module Peers
      # Selects that callers share among themselves; how these run, and what a select is, is for the sides to say.
      module SharedSelects
        # @param count [Integer] queries, shared among the callers
        # @return [Hash] wall, cpu, objects; result, the number of queries made
        def measure(count:)
          share = count / @callers
          Measure.run do
            together { |caller| select(caller * share, share) }
            @callers * share
          end
        end
      end
    end
  end
end
