# frozen_string_literal: true

require "test_helper"
require "support/pool_testing"

module Trunkline
  # What trunks have done, those that are gone included.
  class LedgerTest < TestCase
    include PoolTesting

    # A trunk whose connection has ended.
    class LostTrunk < FakeTrunk
      attr_accessor :loss, :cancels

      def quarantined? = true
    end

    def test_nothing_has_happened
      assert_equal [0], Ledger.new.sums.values.uniq
    end

    def test_sums_of_those_there_are
      ledger = Ledger.new
      trunks = 2.times.map { FakeTrunk.new.tap { |trunk| ledger.opened(trunk) } }
      trunks.each_with_index { |trunk, number| (number + 1).times { trunk.perform(request) } }
      assert_equal [3, 2, 0], ledger.sums.values_at(:requests, :opened, :lost)
    end

    def test_what_is_gone_still_counts
      ledger = Ledger.new
      trunk = lost(closed: false)
      ledger.opened(trunk)
      trunk.perform(request)
      before = ledger.sums
      ledger.ended(trunk)
      assert_equal before.merge(lost: 1), ledger.sums
      assert_equal [1, 2, 1], ledger.sums.values_at(:requests, :cancelled, :quarantined)
    end

    def test_no_connection_ends_twice
      ledger = ledger_without(closed: false, ends: 2)
      assert_equal [2, 1], ledger.sums.values_at(:cancelled, :lost)
    end

    def test_those_opened_after_a_loss_are_opened_again
      ledger = ledger_without(closed: false)
      2.times { ledger.opened(FakeTrunk.new) }
      assert_equal [3, 1], ledger.sums.values_at(:opened, :reconnects)
    end

    def test_one_that_was_closed_is_not_lost
      ledger = ledger_without(closed: true)
      ledger.opened(FakeTrunk.new)
      assert_equal [0, 0], ledger.sums.values_at(:lost, :reconnects)
    end

    private

    # @return [Ledger] of one trunk, which was opened and is lost
    def ledger_without(closed:, ends: 1)
      trunk = lost(closed: closed)
      Ledger.new.tap do |ledger|
        ledger.opened(trunk)
        ends.times { ledger.ended(trunk) }
      end
    end

    def lost(closed:)
      LostTrunk.new.tap do |trunk|
        trunk.loss = Loss.new("it ended", true, closed)
        trunk.cancels = 2
      end
    end
  end
end
