# frozen_string_literal: true

require "active_support/isolated_execution_state"

module Trunkline
  module ActiveRecord
    # The position that the reads of a request must see, for the thread or fiber that serves it.
    module ReadPosition # :nodoc:
      KEY = :trunkline_read_position
      private_constant :KEY

      module_function

      # @return [String, nil]
      def current = ActiveSupport::IsolatedExecutionState[KEY]

      # Runs the block with another position.
      #
      # @param position [String, nil]
      def hold(position)
        before = current
        ActiveSupport::IsolatedExecutionState[KEY] = position
        yield
      ensure
        ActiveSupport::IsolatedExecutionState[KEY] = before
      end
    end
    private_constant :ReadPosition
  end
end
