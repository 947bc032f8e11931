# frozen_string_literal: true

module Soak
  # What was in use at several moments, and whether it grows with the number of operations.
  class Growth
    # What lies between two moments of something that does not grow, whatever was done meanwhile: up to 1,200 slots and 350 kB were
    # seen, of what is in flight. A leak of one slot in ten operations is seen after 30,000 of them.
    NOISE = { slots: 3000, bytes: 1024 * 1024 }.freeze
    private_constant :NOISE

    # @param operations [Array<Integer>] done until each moment
    # @param in_use [Array<Array(Integer, Integer)>] slots and bytes at each
    def initialize(operations, in_use)
      @operations = operations
      @in_use = NOISE.keys.zip(in_use.transpose).to_h
    end

    # @return [Boolean] whether neither of the two has grown
    def none? = grown.empty?

    # @return [Hash{Symbol => Float}] slots and bytes for each operation
    def slopes = @in_use.transform_values { |values| slope(values) }

    def to_s
      slopes.map { |name, slope| format("%+.3f %s", slope, name) }.join(", ") + " each, of #{@operations.last - @operations.first}"
    end

    private

    def grown = slopes.select { |name, slope| slope * (@operations.last - @operations.first) > NOISE.fetch(name) }

    # The middle one of those between any two moments: what only one moment has is no growth.
    def slope(values)
      slopes = @operations.zip(values).combination(2).map { |(before, low), (after, high)| (high - low) / (after - before).to_f }
      slopes.sort[slopes.size / 2]
    end
  end
end
