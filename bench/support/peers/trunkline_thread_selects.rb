# frozen_string_literal: true

require_relative "../side_by_side"
require_relative "trunkline_selects"

module Trunkline
  module Bench
    module Peers
      # Plain threads.
      class TrunklineThreadSelects < TrunklineSelects
        private

        def together(&caller) = SideBySide.run("threads", @callers, &caller)
      end
    end
  end
end
