# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/schedulers/dropping"

module Trunkline
  module Postgres
    # The callers of replicas, of which one at a time checks what is known about the hosts.
    class ReplicaSetTest < TestCase
      # No other caller could find out that a host which has failed is there again.
      def test_a_fiber_that_is_dropped_while_it_checks_the_hosts
        set = Trunkline.postgres("postgres://ann@a.test,b.test/db", replicas: true).instance_variable_get(:@readers).set
        checked = []
        set.replicas.first.define_singleton_method(:outdated?) { |*| true }
        set.replicas.first.define_singleton_method(:check_lag) { |*| Fiber.current.blocking? ? checked << true : Fiber.yield }
        Thread.new { Dropping.run { Fiber.schedule { set.choose(ReadGuard.new, Route.new) } } }.join
        now = Waiting.now + 1
        Waiting.stub(:now, now) { set.choose(ReadGuard.new, Route.new) }
        assert_equal [true], checked
      end
    end
  end
end
