# frozen_string_literal: true

require "async"
require "trunkline"
require_relative "../measure"
require_relative "../data/accounts"

module Trunkline
  module Bench
    module Peers
      # Many small blocks: over a FiberPool of some size, or each a task of Async's own.
      class FiberPoolWork
        # @param size [Integer, nil] of the pool; nil: no pool
        def initialize(uri:, rows:, size: nil)
          @rows = rows
          @pool = FiberPool.new(size) if size
          @db = Trunkline.postgres(uri, connections: 4, max_connections: 5)
        end

        # @param ids [Array<Integer>]
        # @return [Array<Integer>] their balances, by blocks
        def answers(ids:)
          found = {}
          spawn_each(ids) { |id| found[id] = @db.value(Accounts::SELECT, id) }
          found.values_at(*ids)
        end

        # Blocks that do nothing.
        def empty(count:) = Measure.run { spawn_each(count.times) { nil } }

        # Blocks that ask three queries each.
        # @return [Hash] also the kilobytes that the process holds at the end
        def queries(count:)
          result = Measure.run do
            spawn_each(count.times) do |number|
              3.times { |query| @db.value(Accounts::SELECT, Accounts.id((number * 3) + query, @rows)) }
            end
          end
          { **result, resident: resident }
        end

        private

        def spawn_each(items)
          if @pool
            @pool.run { |pool| items.each { |item| pool.spawn { yield item } } }
          else
            Sync { |task| items.each { |item| task.async { yield item } } }
          end
        end

        def resident = File.read("/proc/self/status")[/^VmRSS:\s+(\d+)/, 1].to_i
      end
    end
  end
end
