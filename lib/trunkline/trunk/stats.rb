# frozen_string_literal: true

require_relative "ledger"

module Trunkline
  # What a pool can tell of itself. Nothing is counted for it on a request's way but its number.
  module Stats # :nodoc:
    # @return [Hash{Symbol => Object}] plain values, as the clients explain them
    def stats
      catch_up
      locked do
        look_after_fork
        trunks = @ledger.trunks.map { |trunk| trunk_stats(trunk) }
        { **connection_stats(trunks), queue: queue_stats, **per_transfer(@ledger.sums), trunks: trunks }
      end
    end

    private

    def connection_stats(trunks)
      {
        open: trunks.size, opening: @roster.counts[:opening], **%i[shared pinned spare].to_h { |state| [state, trunks.count { |trunk| trunk[:state] == state }] },
        busy: trunks.count { |trunk| trunk[:in_flight].positive? }, **%i[in_flight backlog].to_h { |name| [name, trunks.sum { |trunk| trunk[name] }] }
      }
    end

    def queue_stats
      { length: @sharing.size + @sharing_long.size, alone: @alone.size, waited: @waits.count, mean: @waits.mean, p99: @waits.quantile(0.99) }
    end

    def trunk_stats(trunk) = { state: @roster.state_of(trunk), **per_transfer(Ledger.figures(trunk)) }

    # @param sums [Hash] with requests, writes and reads
    def per_transfer(sums)
      requests = sums[:requests].to_f
      { **sums, requests_per_write: requests / [sums[:writes], 1].max, requests_per_read: requests / [sums[:reads], 1].max }
    end
  end
  private_constant :Stats
end
