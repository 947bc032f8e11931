# frozen_string_literal: true

module Trunkline
  # The owner of something that becomes unreachable to all fibers once its sentinel is garbage collected. A fiber that is only suspended, and may be
  # resumed through a reference to it, keeps the sentinel alive.
  class ReachableOwner # :nodoc:
    # @param sentinel [GCSentinel] of which the owner keeps only the watch
    # @param holder [Thread, #alive?] that holds it for as long as it is alive
    def initialize(sentinel, holder)
      @watch = sentinel.watch
      @holder = holder
    end

    # @return [Boolean] false: nothing can use it any more
    def alive? = !@watch.collected? && @holder.alive?

    # @return [false] no caller but this one uses it
    def shared? = false
  end
  private_constant :ReachableOwner
end
