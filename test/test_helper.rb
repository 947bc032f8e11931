# frozen_string_literal: true

require_relative "support/own_warnings"

# Rails brings a plugin, which would load half of it into every test.
ENV["MT_NO_PLUGINS"] = "1"
# Seconds for a connection where a test does not say: at a load of 36 on two processors a server took more than the usual 10.
ENV["PGCONNECT_TIMEOUT"] ||= "60"
require "minitest/autorun"
require "minitest/mock"
require "trunkline"
require_relative "support/hang_guard"
require_relative "support/private_servers"
require_relative "support/whereabouts"

Whereabouts.tell_upon_signal

module Trunkline
  # What every test has at hand.
  class TestCase < Minitest::Test
    include PrivateServers

    make_my_diffs_pretty!

    # No test hangs unseen.
    def run = HangGuard.watch("#{self.class}##{name}") { super }

    private

    # Meanwhile no time passes on the clock of Waiting.now: no host is skipped because it answers slowly, which any may do on a busy machine.
    def unhurried(&block) = Waiting.stub(:now, Waiting.now, &block)

    # Meanwhile time passes for the client only as Clock.pass says.
    def with_stopped_clock
      Clock.stop
      yield
    ensure
      Clock.start
    end
  end
end

# Moves every object that can move, once everything is loaded: what the extension holds on to must follow.
GC.verify_compaction_references(toward: :empty, double_heap: true) if GC.respond_to?(:verify_compaction_references)
