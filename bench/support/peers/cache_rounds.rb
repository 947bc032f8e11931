# frozen_string_literal: true

require_relative "../measure"
require_relative "../side_by_side"
require_relative "../data/cache_round"
require_relative "../caches/hand_written"
require_relative "../caches/others"

module Trunkline
  module Bench
    module Peers
      # Callers of a cache, each with keys of its own.
      class CacheRounds
        # @param address [String] of the server
        # @param cache [String] name of a class in {Caches}
        # @param timeout [Numeric, nil] seconds, as the client itself offers it
        # @param timed [String, nil] whether Ruby's Timeout is put around each call, the "old" or the "new" one
        # @param concurrency [String] "fiber" or "thread"
        # @param callers [Integer]
        # @param pool [Integer, nil] how many clients they share; nil: one
        def initialize(address:, cache:, timeout: nil, timed: nil, concurrency: "thread", callers: 1, pool: nil)
          @concurrency = concurrency
          @callers = callers
          make = -> { Caches.const_get(cache).new(address, timeout) }
          client = pool ? Caches::Pooled.new(pool, &make) : make.call
          @cache = timed ? Caches::Timed.new(client, timed == "new") : client
        end

        # @return [Array] what is there after a round
        def answers = CacheRound.answers(@cache, "answers")

        # @param count [Integer] operations, shared among the callers
        # @return [Hash] wall, cpu, user, system (seconds), objects; result, the number of operations made
        def measure(count:)
          rounds = [count / CacheRound::OPERATIONS / @callers, 1].max
          timed do
            together { |caller| rounds.times { CacheRound.run(@cache, "caller#{caller}") } }
            rounds * @callers * CacheRound::OPERATIONS
          end
        end

        # @param count [Integer] keys in all
        # @return [Hash] as {#measure}, of keys
        def measure_many(count:, keys: 100)
          keys = CacheRound.fill(@cache, keys)
          timed do
            (count / keys.size).times { @cache.get_multi(keys) }
            count
          end
        end

        private

        def timed(&work)
          before = Process.times
          Measure.run(&work).merge(user: Process.times.utime - before.utime, system: Process.times.stime - before.stime)
        end

        def together(&work)
          return yield 0 if @callers == 1

          SideBySide.run("#{@concurrency}s", @callers, &work)
        end
      end
    end
  end
end
