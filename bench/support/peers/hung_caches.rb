# frozen_string_literal: true

require "async"
require "logger"
require_relative "../measure"

module Trunkline
  module Bench
    module Peers
      # Fibers or threads that read many keys over and over from several servers, one of which stops answering.
      class HungCaches
        KEYS = Array.new(100) { |number| "hung:#{number}" }.freeze
        PAUSE = 0.5 # seconds between two calls of a fiber, on average: the processors have time for all of them
        PATIENCE = 3 # seconds for callers that are still there when the time is over
        Call = Struct.new(:start, :time, :found)
        private_constant :KEYS, :PAUSE, :PATIENCE, :Call

        # @param addresses [Array<String>] of the servers
        # @param side [String] "trunkline", "dalli", "trunkline_store" or "mem_cache_store"
        # @param concurrency [String] "fiber" or "thread"
        # @param callers [Integer]
        def initialize(addresses:, side:, concurrency: "fiber", callers: 100)
          @concurrency = concurrency
          @callers = callers
          @read = send(side, addresses)
        end

        def fill = @write.call(KEYS.to_h { |key| [key, "value of #{key}"] }) && nil

        # @return [Hash{String => String}] what it reads
        def answers = @read.call.sort.to_h

        # @param seconds [Numeric]
        # @return [Hash] first: seconds that 99 of 100 callers' first calls stay below; later: the same of the others; calls, errors;
        #   found: keys of the median later call. A call that has not come to its end by then counts with its time so far, as an error
        def measure(seconds:)
          calls = Array.new(@callers) { [] }
          ends = Measure.now + seconds
          callers = send("#{@concurrency}s_call", calls, ends)
          sleep seconds
          result = summary(calls.map { |own| own.map(&:dup) })
          callers.each { |caller| caller.join([ends + PATIENCE - Measure.now, 0].max) }
          result
        end

        private

        def summary(calls)
          calls.flatten(1).each { |call| call.time ||= Measure.now - call.start }
          later = calls.flat_map { |own| own.drop(1) }
          { first: high(calls.map { |own| own.first.time }), later: high(later.map(&:time)), calls: calls.sum(&:size),
            found: later.empty? ? 0 : Measure.median(later.map { |call| call.found || 0 }), errors: calls.flatten(1).count { |call| call.found.nil? } }
        end

        # A caller that hangs for ever keeps its thread, and nothing else.
        def fibers_call(calls, ends)
          [Thread.new { Sync { |task| calls.map { |own| task.async { call_over_and_over(own, ends) } }.each(&:wait) } }]
        end

        def threads_call(calls, ends) = calls.map { |own| Thread.new { call_over_and_over(own, ends) } }

        # The callers' first calls end together, and so they pause for different times.
        def call_over_and_over(own, ends)
          while Measure.now < ends
            own << (call = Call.new(Measure.now))
            call.found = found_now
            call.time = Measure.now - call.start
            sleep(rand * 2 * PAUSE)
          end
        end

        def found_now
          @read.call.size
        rescue StandardError
          nil
        end

        # @return [Float] what 99 of 100 stay below
        def high(times) = times.sort[(times.size * 0.99).floor] || 0.0

        def trunkline(addresses)
          require "trunkline"
          client = ::Trunkline.memcached(*addresses, raw: true)
          @write = ->(pairs) { client.set_multi(pairs) }
          -> { client.get_multi(KEYS) }
        end

        def dalli(addresses)
          require "dalli"
          ::Dalli.logger = Logger.new(IO::NULL)
          client = ::Dalli::Client.new(addresses, protocol: :meta, raw: true, socket_timeout: 1)
          @write = ->(pairs) { pairs.each { |key, value| client.set(key, value) } }
          -> { client.get_multi(KEYS) }
        end

        def trunkline_store(addresses) = store(:trunkline_store, addresses, timeout: 1)

        # With its pool of five clients, as it comes.
        def mem_cache_store(addresses)
          require "dalli"
          ::Dalli.logger = Logger.new(IO::NULL)
          store(:mem_cache_store, addresses, protocol: :meta, socket_timeout: 1)
        end

        def store(name, addresses, **options)
          require "active_support"
          require "active_support/cache/trunkline_store"
          store = ActiveSupport::Cache.lookup_store(name, *addresses, options)
          store.logger = nil
          @write = ->(pairs) { store.write_multi(pairs) }
          -> { store.read_multi(*KEYS) }
        end
      end
    end
  end
end
