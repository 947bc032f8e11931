# frozen_string_literal: true

module Trunkline
  module Memcached
    # Changes of fibers that do not wait for the answers: see {Writing#quiet}. Those of other fibers of the same client are not among them.
    class Unawaited
      # Changes of a fiber that are in flight at a time; then it waits for the answers to these. Each answer is some 20 bytes, which a
      # server would otherwise have to keep until they are read.
      MOST = 1000
      private_constant :MOST

      # What such a change is answered with: nothing is known of it.
      NOTHING = Struct.new(:stored?, :answer, :cas).new.freeze

      def initialize
        @parts = {}.compare_by_identity
      end

      # @return [Boolean] whether the calling fiber does not wait
      def here? = @parts.key?(Fiber.current)

      # The calling fiber does not wait within the block.
      #
      # @yieldreturn [Object]
      # @return [Object] what the block returned
      def within
        @parts[Fiber.current] = []
        yield
      ensure
        @parts.delete(Fiber.current)
      end

      # @param part [Object] one that was sent by the calling fiber
      # @return [Boolean] whether it is time to {#take} them
      def push(part) = @parts.fetch(Fiber.current).push(part).size >= MOST

      # @return [Array] what the calling fiber has sent, which is the caller's to wait for from then on
      def take
        parts = @parts.fetch(Fiber.current)
        parts.shift(parts.size)
      end
    end
    private_constant :Unawaited
  end
end
