# frozen_string_literal: true

module Trunkline
  # What something belongs to that no fiber can ask for any more once its sentinel is collected. A fiber that is merely suspended, and may
  # be resumed by what refers to it, keeps the sentinel.
  class ReachableOwner # :nodoc:
    # @param sentinel [GCSentinel] of which the owner keeps the watch alone
    # @param holder [Thread, #alive?] that has it for as long as it is alive
    def initialize(sentinel, holder)
      @watch = sentinel.watch
      @holder = holder
    end

    # @return [Boolean] false: nothing can use it any more
    def alive? = !@watch.collected? && @holder.alive?
  end
  private_constant :ReachableOwner
end
