# frozen_string_literal: true

require "test_helper"
require "support/schedulers/dropping"

module Trunkline
  module Memcached
    # Fibers that do not wait for the answers to their changes.
    class UnawaitedTest < TestCase
      # Words that remain on the stack may keep some of them, not all.
      def test_fibers_that_are_dropped_there_are_collected
        unawaited = Unawaited.new
        fibers = ObjectSpace::WeakMap.new
        Fiber.new do
          Dropping.run { 20.times { |number| Fiber.schedule { (fibers[Fiber.current] = Fiber.current) && unawaited.within { unawaited.push(number) || Fiber.yield } } } }
        end.resume
        3.times { GC.start }
        assert_operator fibers.size, :<, 10
        refute_predicate unawaited, :here?
      end

      def test_each_fiber_has_its_own
        unawaited = Unawaited.new
        taken = unawaited.within do
          unawaited.push(1)
          [Fiber.new { [unawaited.here?, unawaited.within { unawaited.push(2) || unawaited.take }] }.resume, unawaited.take]
        end
        assert_equal [[false, [2]], [1]], taken
      end
    end
  end
end
