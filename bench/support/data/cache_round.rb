# frozen_string_literal: true

module Trunkline
  module Bench
    # What callers of a cache do over and over: 6 sets, of which one of 10 kB, 10 hits, 2 misses and 2 deletes.
    module CacheRound
      OPERATIONS = 20
      SMALL = "value"
      LARGE = "x" * 10_000
      private_constant :SMALL, :LARGE

      module_function

      # @param cache [#get, #set, #delete]
      # @param prefix [String] of the caller's own keys
      def run(cache, prefix)
        5.times { |number| cache.set("#{prefix}:#{number}", SMALL) }
        cache.set("#{prefix}:large", LARGE)
        2.times { 5.times { |number| cache.get("#{prefix}:#{number}") } }
        2.times { |number| cache.get("#{prefix}:none#{number}") }
        2.times { |number| cache.delete("#{prefix}:#{number}") }
      end

      # @return [Array<String, nil>] what is there after a round
      def answers(cache, prefix)
        run(cache, prefix)
        [*0..4, "large", "none0"].map { |name| cache.get("#{prefix}:#{name}") }
      end

      # @return [Array<String>] keys that are there
      # @raise [RuntimeError] they are not all found
      def fill(cache, count)
        keys = Array.new(count) { |number| "many:#{number}".tap { |key| cache.set(key, SMALL) } }
        found = cache.get_multi(keys)
        raise "not all are found: #{found.size} of #{count}" unless found == keys.to_h { |key| [key, SMALL] }

        keys
      end
    end
  end
end
