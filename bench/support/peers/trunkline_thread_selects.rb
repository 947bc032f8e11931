# frozen_string_literal: true

require_relative "trunkline_selects"

module Trunkline
  module Bench
    module Peers
      # Plain threads.
      class TrunklineThreadSelects < TrunklineSelects
        private

        def together
          Array.new(@callers) { |caller| Thread.new { yield caller } }.each(&:join)
        end
      end
    end
  end
end
