# frozen_string_literal: true

require "test_helper"
require "support/eventually"

module Trunkline
  # Ruby 3.1 does not free the struct of a WeakMap. So what happens again and again makes none.
  class WeakMapsTest < TestCase
    include Eventually

    ROUNDS = 20
    FEW = ROUNDS / 2 # a thread that has ended may still be referred to by words on the stack
    private_constant :ROUNDS, :FEW

    def test_threads_that_hold_a_value_one_after_the_other
      assert_operator(made { Thread.new { hold }.join }, :<, FEW)
    end

    def test_turns_for_which_others_wait
      turn = Turn.new
      assert_equal(0, made { take_turns(turn) })
    end

    private

    # @return [Integer] WeakMaps that the block has made, in all rounds
    def made
      known = weak_maps
      seen = Array.new(ROUNDS) do
        yield
        GC.start
        weak_maps
      end
      (seen.flatten - known).uniq.size
    end

    def weak_maps = ObjectSpace.each_object(ObjectSpace::WeakMap).map(&:object_id)

    def hold
      scoped = ScopedValue.new(self, :value).tap(&:begin)
      scoped.end
    end

    def take_turns(turn)
      other = turn.take do
        waiting = Thread.new { turn.take { :taken } }
        assert eventually { turn.instance_variable_get(:@waiting).size == 1 }
        waiting
      end
      assert_equal :taken, other.value
    end
  end
end
