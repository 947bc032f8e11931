# frozen_string_literal: true

require "async"
require_relative "trunkline_selects"

module Trunkline
  module Bench
    module Peers
      # Fibers under Async.
      class TrunklineFiberSelects < TrunklineSelects
        private

        def together
          Sync { Array.new(@callers) { |caller| Async { yield caller } }.each(&:wait) }
        end
      end
    end
  end
end
