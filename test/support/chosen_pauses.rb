# frozen_string_literal: true

require "minitest/mock"

module Trunkline
  # Records the pauses that the block's clients choose, and the hosts that they take for silent.
  module ChosenPauses
    # seconds:: of the pause
    # after:: seconds that the attempt before it took; nil: not measured
    Pause = Struct.new(:seconds, :after)
    private_constant :Pause

    private

    # Between a failed attempt to connect and the next one.
    #
    # @yieldparam pauses [Array<Pause>] so far
    def with_pauses_between_attempts(&block)
      pauses = []
      began_at = nil
      patch = Module.new do
        define_method(:begin_attempt) { super().tap { began_at = Waiting.now } }
        define_method(:failed) do |**options|
          at = Waiting.now
          super(**options)
          pauses << Pause.new((pause_end || at) - at, at - began_at)
        end
      end
      extending(BackOff, patch) { block.call(pauses) }
    end

    # Makes each pause after a failed attempt to connect last so long.
    def with_each_pause(seconds, &block) = extending(BackOff, Module.new { define_method(:failed) { |**| super(retry_after: seconds) } }, &block)

    # Between two polls of a pooler whose server does not respond.
    #
    # @yieldparam pauses [Array<Pause>] so far
    def with_pauses_between_looks(&block)
      pauses = []
      patch = Module.new do
        define_method(:seconds_until_next_check) { |trunk, finding| super(trunk, finding).tap { |seconds| pauses << Pause.new(seconds) if finding == :unanswered } }
      end
      extending(Postgres.const_get(:SilenceWatch), patch) { block.call(pauses) }
    end

    # Makes each pause before another try of a transaction last so long.
    #
    # @yieldparam pauses [Thread::Queue] has an entry for each that has begun
    def with_pauses_between_tries(seconds, &block)
      pauses = Thread::Queue.new
      patch = Module.new { define_method(:pause) { |_| pauses << seconds and seconds } }
      extending(Postgres.const_get(:TransactionRunner), patch) { block.call(pauses) }
    end

    # Hosts that were silent, so that attempts at others were begun.
    #
    # @yieldparam hosts [Array<Config::Host>] so far
    def with_silent_hosts(&block)
      hosts = []
      extending(Postgres.const_get(:HostMemory), Module.new { define_method(:silent) { |host| super(host).tap { hosts << host } } }) { block.call(hosts) }
    end

    # Gives each new object of the class the module's methods before its own.
    def extending(type, patch, &block)
      made = type.method(:new)
      type.stub(:new, ->(*given, **options, &own) { made.call(*given, **options, &own).extend(patch) }, &block)
    end
  end
end
