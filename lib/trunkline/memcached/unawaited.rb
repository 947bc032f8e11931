# frozen_string_literal: true

require_relative "../trunk/scoped_value"

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

      # @return [Boolean] whether the calling fiber does not wait
      def here? = !ScopedValue.find(self).nil?

      # The calling fiber does not wait within the block. If it is dropped there by its event loop, nothing refers to it.
      #
      # @yieldreturn [Object]
      # @return [Object] what the block returned
      def within
        scoped = ScopedValue.new(self, [], alone: true)
        scoped.begin
        yield
      ensure
        scoped.end
      end

      # @param part [Object] that the calling fiber has sent
      # @return [Boolean] whether it is time to {#take} them
      def push(part) = parts.push(part).size >= MOST

      # @return [Array] what the calling fiber has sent; the caller must wait for these from then on
      def take = parts.shift(parts.size)

      private

      def parts = ScopedValue.find(self).value
    end
    private_constant :Unawaited
  end
end
