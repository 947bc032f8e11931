# frozen_string_literal: true

require_relative "ledger"

module Trunkline
  # The figures of a pool. A request only increments its count; the rest is computed here. The pool's lock is held around each call.
  class PoolStats # :nodoc:
    # @param roster [Roster]
    # @param ledger [Ledger]
    # @param queue [WaitQueue]
    def initialize(roster, ledger, queue)
      @roster = roster
      @ledger = ledger
      @queue = queue
    end

    # @return [Hash{Symbol => Object}] plain values, which the clients document
    def to_h
      trunks = @ledger.trunks.map { |trunk| trunk_stats(trunk) }
      { **connection_stats(trunks), queue: @queue.stats, **per_transfer(@ledger.sums), trunks: trunks }
    end

    private

    def connection_stats(trunks)
      {
        open: trunks.size, opening: @roster.counts[:opening], **%i[shared pinned spare].to_h { |state| [state, trunks.count { |trunk| trunk[:state] == state }] },
        busy: trunks.count { |trunk| trunk[:in_flight].positive? }, **%i[in_flight backlog].to_h { |name| [name, trunks.sum { |trunk| trunk[name] }] }
      }
    end

    def trunk_stats(trunk) = { state: @roster.state_of(trunk), server: trunk.server, **per_transfer(Ledger.figures(trunk)) }

    # @param sums [Hash] with requests, writes and reads
    def per_transfer(sums)
      requests = sums[:requests].to_f
      { **sums, requests_per_write: requests / [sums[:writes], 1].max, requests_per_read: requests / [sums[:reads], 1].max }
    end
  end
  private_constant :PoolStats
end
