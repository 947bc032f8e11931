# frozen_string_literal: true

require_relative "../side_by_side"
require_relative "trunkline_selects"

module Trunkline
  module Bench
    module Peers
      # Fibers under Async.
      class TrunklineFiberSelects < TrunklineSelects
        private

        def together(&caller) = SideBySide.run("fibers", @callers, &caller)
      end
    end
  end
end
