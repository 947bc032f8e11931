# frozen_string_literal: true

require "test_helper"

module Trunkline
  # Whether what alone refers to a witness was collected.
  class WitnessTest < TestCase
    Witness = Trunkline.const_get(:Witness)
    private_constant :Witness

    def test_one_that_is_referred_to
      witness = Witness.new
      watch = witness.watch
      GC.start
      refute_predicate watch, :collected?
      assert_kind_of Witness, witness
    end

    # Words that remain on the stack may keep some, not all.
    def test_those_that_are_not
      watches = Fiber.new { Array.new(100) { Array.new(2).fill(Witness.new).map(&:watch) } }.resume
      GC.start
      collected = watches.map { |pair| pair.map(&:collected?) }
      assert_operator collected.count([true, true]), :>, 50
      assert_empty collected.uniq - [[true, true], [false, false]]
    end

    def test_what_is_collected_together_with_its_watch
      10.times { Array.new(1000) { Witness.new.watch } && GC.start }
      assert_raises(ArgumentError) { Witness.new(1) }
      assert_raises(TypeError) { Witness.new.watch.class.new }
      assert_raises(TypeError) { Witness.new.dup }
    end
  end
end
