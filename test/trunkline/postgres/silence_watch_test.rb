# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/schedulers/dropping"

module Trunkline
  module Postgres
    # Callers that check a server which sends nothing: one of them probes it for all.
    class SilenceWatchTest < TestCase
      LIMIT = 20 # seconds, after which a caller hangs

      # Finds at once that the server does not answer; a fiber of an event loop waits there.
      class Probe
        def continuable? = true
        def run(*) = Fiber.current.blocking? ? :unreachable : Fiber.yield
        def abandon = nil
        def row_since = 0
      end
      private_constant :LIMIT, :Probe

      # A connection on which an answer is owed.
      class Silent
        attr_reader :server, :lost

        def initialize(server)
          @server = server
        end

        def io = (@io ||= ::Socket.tcp("127.0.0.1", (@there = TCPServer.new("127.0.0.1", 0)).addr[1]))
        def state = self
        def earliest_timeout = nil
        def silent_for = 9.0
        def loss = nil
        def lose(reason) = @lost = reason
      end
      private_constant :Silent

      # No other caller could find out that the server is gone.
      def test_a_fiber_that_is_dropped_while_it_probes
        unreachable = []
        config = Config.new("postgres://ann@a.test,b.test/db", env: {})
        watch = SilenceWatch.new(config, 5.0) { |trunk| unreachable << trunk }
        HostProbe.stub(:new, ->(*) { Probe.new }) do
          trunk = Silent.new(config.hosts.first.server)
          Thread.new { Dropping.run { Fiber.schedule { watch.check(trunk) } } }.join
          other = Thread.new { watch.check(trunk) until trunk.lost }
          assert other.join(LIMIT), "it is never found"
          assert_equal [trunk], unreachable
        end
      end
    end
  end
end
