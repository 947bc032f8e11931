# frozen_string_literal: true

require "test_helper"

module Trunkline
  # Whether what alone refers to a sentinel was collected.
  class GCSentinelTest < TestCase
    GCSentinel = Trunkline.const_get(:GCSentinel)
    private_constant :GCSentinel

    def test_one_that_is_referred_to
      sentinel = GCSentinel.new
      watch = sentinel.watch
      GC.start
      refute_predicate watch, :collected?
      assert_kind_of GCSentinel, sentinel
    end

    # Words that remain on the stack may keep some, not all.
    def test_those_that_are_not
      watches = Fiber.new { Array.new(100) { Array.new(2).fill(GCSentinel.new).map(&:watch) } }.resume
      GC.start
      collected = watches.map { |pair| pair.map(&:collected?) }
      assert_operator collected.count([true, true]), :>, 50
      assert_empty collected.uniq - [[true, true], [false, false]]
    end

    def test_what_is_collected_together_with_its_watch
      10.times { Array.new(1000) { GCSentinel.new.watch } && GC.start }
      assert_raises(ArgumentError) { GCSentinel.new(1) }
      assert_raises(TypeError) { GCSentinel.new.watch.class.new }
      assert_raises(TypeError) { GCSentinel.new.dup }
    end
  end
end
