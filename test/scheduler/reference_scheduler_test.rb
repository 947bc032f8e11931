# frozen_string_literal: true

require "suites"

# The client under a scheduler that records every misuse.
class UnderReferenceSchedulerTest < Trunkline::TestCase
  include Hosts::Reference
  include Suites::All

  # Some schedulers keep the timer of a wait for as long as it could have taken.
  def test_only_a_caller_that_has_a_deadline_waits_with_a_timer
    in_host_with_client(connections: 1) do |db|
      db.value("SELECT 1")
      timeouts = timeouts_of(Fiber.scheduler)
      2.times { db.value("SELECT pg_sleep(0.02)") }
      assert_equal [nil], timeouts.uniq
      db.value("SELECT pg_sleep(0.02)", deadline: 60)
      assert_equal [nil, 1.0], timeouts.uniq
    end
  end

  private

  def timeouts_of(scheduler)
    timeouts = []
    scheduler.define_singleton_method(:io_wait) do |io, events, timeout = nil|
      timeouts << timeout
      super(io, events, timeout)
    end
    timeouts
  end
end
