# frozen_string_literal: true

module Trunkline
  # Gives a block that runs on another thread the state of the fiber that it comes from: ActiveSupport's isolated state, and since Ruby 3.2 the
  # fiber's storage.
  module CarriedState # :nodoc:
    module_function

    # @param block [Proc]
    # @return [Proc] the block with the state of the calling fiber
    def capture(block) = with_storage(with_isolated_state(block))

    def with_isolated_state(block)
      return block unless defined?(ActiveSupport::IsolatedExecutionState)

      state = ActiveSupport::IsolatedExecutionState
      callers = state.context
      lambda do
        share(state, callers, block)
      ensure
        state.clear
      end
    end

    # Since Rails 8.1, sharing lasts as long as a block.
    def share(state, callers, block)
      return state.share_with(callers, &block) if state.method(:share_with).parameters.any? { |kind, _| kind == :block }

      state.share_with(callers)
      block.call
    end

    def with_storage(block)
      return block unless RUBY_VERSION >= "3.2"

      storage = Fiber.current.storage
      -> { Fiber.new(blocking: true, storage: storage, &block).resume }
    end

    private_class_method :with_isolated_state, :share, :with_storage
  end
  private_constant :CarriedState
end
