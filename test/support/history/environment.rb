# frozen_string_literal: true

require "minitest"
require_relative "../crowd"
require_relative "../schedulers/hosts"

class History
  # The host of a run's callers, their number, and how they can be interrupted there.
  class Environment
    include Minitest::Assertions

    attr_accessor :assertions # counted by Minitest
    attr_reader :hostility

    # @param host [Module] of {Hosts}
    # @param size [Integer] callers
    # @param ways [Array<Symbol>] as {Crowd#initialize} takes them
    # @param hostility [Hash] options of HostileScheduler
    # @param limit [Numeric] seconds until it counts as hung
    def initialize(host:, size:, limit:, ways: %i[cancel kill timeout], hostility: {})
      extend(host)
      define_singleton_method(:limit) { limit } # in place of the host's
      @size = size
      @ways = ways
      @hostility = hostility
      @assertions = 0
    end

    # Runs the callers until there is enough.
    #
    # @param interrupted [Thread::Queue] takes the way of each interruption
    # @yieldparam crowd [Crowd]
    # @yieldparam member [Crowd::Member]
    def run(seed, interrupted, enough, &act)
      @hostility = { **@hostility, seed: seed }
      in_host { populate(seed, interrupted, enough, &act) }
    end

    private

    def populate(seed, interrupted, enough)
      crowd = Crowd.new(@size, seed: seed, ways: @ways, interrupted: interrupted, exposure: exposure)
      crowd.run(enough) { |member| yield crowd, member }
    end

    def exposure
      scheduler = Fiber.scheduler
      ->(block) { scheduler.expose(&block) } if scheduler.respond_to?(:expose)
    end

    # Event loops that live for a few steps of a few callers, one after the other in each of many threads.
    class ShortLived < self
      CALLERS = 3
      STEPS = 8
      private_constant :CALLERS, :STEPS

      private

      def populate(seed, interrupted, enough, &act)
        Crowd.new(@size, seed: seed, ways: []).run(enough) do |member|
          steps = Thread::Queue.new
          Sync do
            crowd = Crowd.new(CALLERS, seed: member.random.rand(1 << 32), ways: @ways, interrupted: interrupted)
            crowd.run(-> { steps.size >= STEPS }) { |inner| act.call(crowd, inner).tap { steps << nil } }
          end
        end
      end
    end

    # Event loops and plain threads together, with one client.
    class Mixed < self
      HOSTS = [Hosts::Async, Hosts::Reference, Hosts::Threads, Hosts::Threads].freeze
      private_constant :HOSTS

      def run(seed, interrupted, enough, &act)
        threads = HOSTS.map.with_index(seed << 2) do |host, part|
          Thread.new { Environment.new(host: host, size: @size, limit: limit).run(part, interrupted, enough, &act) }
        end
        threads.each(&:value)
      end
    end

    HOSTILE = { cancel: 0.02, spurious: 0.05, reorder: true }.freeze
    ALL = {
      async: [self, { host: Hosts::Async, size: 200 }],
      reference: [self, { host: Hosts::Reference, size: 200 }],
      hostile: [self, { host: Hosts::Hostile, size: 100, hostility: HOSTILE }],
      inline: [self, { host: Hosts::Hostile, size: 100, ways: %i[cancel kill],
                       hostility: { **HOSTILE, inline: true, yielding: true, without: %i[yield timeout_after] } }],
      forgetful: [self, { host: Hosts::Hostile, size: 100, hostility: { cancel: 0.05, reorder: true, forgetful: true } }],
      threads: [self, { host: Hosts::Threads, size: 32 }],
      loops: [ShortLived, { host: Hosts::Threads, size: 16 }],
      mixed: [Mixed, { host: Hosts::Threads, size: 25 }]
    }.freeze
    private_constant :HOSTILE

    # @param name [Symbol] of {ALL}
    # @param limit [Numeric] seconds until it counts as hung
    def self.named(name, limit)
      kind, options = ALL.fetch(name)
      kind.new(**options, limit: limit)
    end
  end
end
