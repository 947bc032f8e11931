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
        private_constant :KEYS, :PAUSE

        # @param addresses [Array<String>] of the servers
        # @param side [String] "trunkline", "dalli", "trunkline_store" or "mem_cache_store"
        # @param world [String] "fiber" or "thread"
        # @param callers [Integer]
        def initialize(addresses:, side:, world: "fiber", callers: 100)
          @world = world
          @callers = callers
          @read = send(side, addresses)
        end

        def fill = @write.call(KEYS.to_h { |key| [key, "value of #{key}"] }) && nil

        # @return [Hash{String => String}] what it reads
        def answers = @read.call.sort.to_h

        # @param seconds [Numeric]
        # @return [Hash] first: seconds that 99 of 100 callers' first calls stay below; later: the same of the others; calls, errors;
        #   found: keys of the median later call. A call that does not come to its end is an error
        def measure(seconds:)
          calls = Array.new(@callers) { [] }
          send("#{@world}s_call", calls, seconds)
          later = calls.flat_map { |own| own.drop(1) }
          { first: high(calls.map { |own| own.first.first }), later: high(later.map(&:first)), calls: calls.sum(&:size),
            found: later.empty? ? 0 : Measure.median(later.map { |call| call[1] }), errors: calls.flatten(1).count { |call| call[2] } }
        end

        private

        def fibers_call(calls, seconds)
          Sync do |task|
            tasks = calls.map { |own| task.async { call_over_and_over(own) } }
            sleep seconds
            tasks.each(&:stop)
          end
        end

        def threads_call(calls, seconds)
          threads = calls.map { |own| Thread.new { call_over_and_over(own) } }
          sleep seconds
          threads.each(&:kill).each(&:join)
        end

        # The callers' first calls end together, and so they pause for different times.
        def call_over_and_over(own)
          loop do
            call_into(own)
            sleep(rand * 2 * PAUSE)
          end
        end

        # A call that is stopped counts too.
        def call_into(own)
          start = Measure.now
          found = found_now
        ensure
          own << [Measure.now - start, found || 0, found.nil?]
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
