# frozen_string_literal: true

module Trunkline
  module Memcached
    # Changes of fibers that do not wait for the answers: see {Writing#quiet}. Changes of other fibers of the same client are not affected.
    class Unawaited
      # How many changes of a fiber are in flight at a time; then it waits for their answers. Each answer is some 20 bytes, which a server would
      # otherwise have to buffer until they are read.
      MOST = 1000
      private_constant :MOST

      # The result of such a change: unknown.
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

      # @param part [Object] that the calling fiber has sent
      # @return [Boolean] whether it is time to {#take} them
      def push(part) = @parts.fetch(Fiber.current).push(part).size >= MOST

      # @return [Array] what the calling fiber has sent; the caller must wait for these from then on
      def take
        parts = @parts.fetch(Fiber.current)
        parts.shift(parts.size)
      end
    end
    private_constant :Unawaited
  end
end
