# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/crowd"

class CrowdTest < Minitest::Test
  # An interruption that comes while a thread enters Timeout waits until the block runs.
  def test_threads_are_not_interrupted_in_ruby_s_own_waits
    pending = Thread::Queue.new
    entering = lambda do |_seconds, &block|
      Thread.current.raise(Interruptions::Cancelled)
    ensure
      pending << Thread.pending_interrupt?
      block.call
    end
    Timeout.stub(:timeout, entering) do
      crowd = Crowd.new(2, seed: 1, rate: 1.0, ways: [:timeout])
      crowd.run(-> { pending.size >= 10 }) { |member| crowd.exposed(member) { Thread.pass } }
    end
    assert_equal [true], Array.new(pending.size) { pending.pop }.uniq
  end

  # What interrupts a thread as it ends, because it was killed, is raised when it has ended otherwise: in place of the kill.
  def test_a_killed_thread_that_is_interrupted_as_it_ends_has_a_successor
    acted = Thread::Queue.new
    Crowd.new(1, seed: 1).run(-> { acted.size >= 2 }) do
      acted << true
      Thread.current.kill
    ensure
      Thread.current.raise(Interruptions::Cancelled) if acted.size == 1
    end
    assert_equal 2, acted.size
  end
end
