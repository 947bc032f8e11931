# frozen_string_literal: true

require "test_helper"
require "support/schedulers/reference_scheduler"
require_relative "scheduler_behaviour"

class ReferenceSchedulerTest < Minitest::Test
  include SchedulerBehaviour

  def test_gives_up_a_turn
    order = []
    run_scheduler do |scheduler|
      2.times { |index| Fiber.schedule { order << [index, 0] && scheduler.yield && order << [index, 1] } }
    end
    assert_equal [[0, 0], [1, 0], [0, 1], [1, 1]], order
  end

  def test_a_wait_inside_an_enumerator_goes_to_the_loop
    run_scheduler do |scheduler|
      fiber = nil
      numbers = Enumerator.new { |yielder| (fiber = Fiber.current) && scheduler.block(:number, 1) && yielder << 1 }
      Fiber.schedule { sleep(0) && scheduler.unblock(:number, fiber) }
      assert_equal 1, numbers.next
    end
  end

  def test_block_returns_whether_it_was_unblocked
    run_scheduler do |scheduler|
      fiber = Fiber.current
      refute scheduler.block(:mine, 0.001)
      Fiber.schedule { sleep(0) && scheduler.unblock(:mine, fiber) }
      assert scheduler.block(:mine, 10)
    end
  end

  def test_a_wake_up_between_decision_and_block_is_received
    run_scheduler do |scheduler|
      fiber = Fiber.current
      Fiber.schedule { scheduler.unblock(:mine, fiber) }
      assert scheduler.block(:mine)
    end
  end

  def test_a_wake_up_left_by_a_cancel_can_be_absorbed
    run_scheduler do |scheduler|
      victim = blocked(scheduler) { scheduler.block(:mine, 0.1) }
      scheduler.unblock(:mine, victim)
      scheduler.cancel(victim, IndexError.new)
    end
  end

  def test_a_cancelled_absorb_leaves_the_wake_up_for_the_next
    run_scheduler do |scheduler|
      victim = blocked(scheduler) { blocked_again(scheduler) { scheduler.block(:mine, 10) } }
      scheduler.unblock(:mine, victim)
      2.times { scheduler.cancel(victim, IndexError.new) && scheduler.yield }
    end
  end

  def test_records_a_wake_up_for_a_sleeper_and_does_not_wake_it
    assert_violation(/unblocked, but waiting in sleep \(.*reference_scheduler_test/) do |scheduler|
      slept = 0
      sleeper = Fiber.schedule { slept = seconds { sleep(0.02) } }
      scheduler.unblock(:mine, sleeper)
      sleep(0.05)
      assert_operator slept, :>=, 0.02
    end
  end

  def test_records_a_wake_up_for_another_reason_to_block
    assert_violation(/unblocked, but waiting in block/) do |scheduler|
      queue = Thread::Queue.new
      popper = Fiber.schedule { queue.pop }
      scheduler.unblock(:mine, popper)
      queue << 1
    end
  end

  def test_records_a_second_wake_up
    assert_violation(/already woken/) do |scheduler|
      victim = Fiber.schedule { scheduler.block(:mine) }
      2.times { scheduler.unblock(:mine, victim) }
    end
  end

  def test_records_a_wake_up_left_behind_for_the_next_wait
    assert_violation(/waits in sleep with a wake-up left behind/) do |scheduler|
      victim = blocked(scheduler) { sleep(0.001) }
      scheduler.unblock(:mine, victim)
      scheduler.cancel(victim, IndexError.new)
    end
  end

  def test_records_a_wake_up_left_behind_without_a_fiber
    assert_violation(/ends with a wake-up left behind/) do |scheduler|
      victim = blocked(scheduler) { nil }
      scheduler.unblock(:mine, victim)
      scheduler.cancel(victim, IndexError.new)
    end
  end

  def test_records_a_fiber_that_unblocks_itself
    assert_violation(/unblocks itself/) { |scheduler| scheduler.unblock(:mine, Fiber.current) }
  end

  def test_records_a_wake_up_for_the_dead
    assert_violation(/after its end/) { |scheduler| scheduler.unblock(:mine, Fiber.schedule { nil }) }
  end

  def test_records_a_wake_up_after_the_end_of_the_scheduler
    scheduler, fiber = ReferenceScheduler.run { |running| [running, Fiber.current] }
    scheduler.unblock(:mine, fiber)
    assert_match(/after the end of the scheduler/, scheduler.violations.fetch(0))
  end

  def test_records_two_waits_for_one_event
    assert_violation(/second fiber/) do
      reader, writer = IO.pipe
      2.times { Fiber.schedule { reader.wait_readable(1) } }
      writer << "x"
    end
  end

  def test_two_waits_for_different_events_are_no_matter
    run_scheduler do
      socket, peer = UNIXSocket.pair
      Fiber.schedule { socket.wait_readable(1) }
      assert socket.wait_writable(1)
      peer.close
    end
  end

  def test_records_an_io_closed_under_its_waiter
    assert_violation(/was closed while/) do
      reader, _writer = IO.pipe
      Fiber.schedule { assert_raises(IOError) { reader.wait_readable(10) } }
      reader.close
    end
  end

  def test_records_waits_that_are_too_long
    assert_violation(/with timeout 1.1/, longest_io_wait: 1.0) do
      socket, peer = UNIXSocket.pair
      peer << "x"
      assert socket.wait_readable(1.1)
    end
  end

  def test_the_longest_wait_has_no_end
    ReferenceScheduler.run(limit: 20, longest_io_wait: 0.01) do |scheduler|
      socket, peer = UNIXSocket.pair
      Fiber.schedule { sleep(0.05) && (peer << "x") }
      assert socket.wait_readable(0.01)
      assert_equal "x", socket.readpartial(1)
      assert_nil socket.wait_readable(0.001)
      assert_empty scheduler.violations
    end
  end

  def test_tells_which_fibers_hang_and_where
    error = assert_raises(Supervision::Hang) { ReferenceScheduler.run(limit: 1) { |scheduler| scheduler.block(:never) } }
    assert_match(/1 fibers wait:\n  1 in block\(Symbol\) at .*reference_scheduler_test/, error.message)
  end

  def test_ends_fibers_that_hang
    ended = false
    assert_raises(Supervision::Hang) do
      ReferenceScheduler.run(limit: 1) do
        Thread::Queue.new.pop
      ensure
        ended = true
      end
    end
    assert ended
  end

  private

  def run_scheduler(&block)
    ReferenceScheduler.run(limit: 20) do |scheduler|
      block.call(scheduler).tap { assert_empty scheduler.violations }
    end
  end

  def assert_violation(pattern, **options)
    observed = nil
    ReferenceScheduler.run(limit: 20, **options) { |scheduler| yield(observed = scheduler) }
    assert_equal 1, observed.violations.size, observed.violations.inspect
    assert_match(pattern, observed.violations.first)
  end

  # A fiber in `block`, which does the block's work when it is cancelled.
  def blocked(scheduler)
    Fiber.schedule do
      scheduler.block(:mine)
    rescue IndexError
      yield
    end
  end

  def blocked_again(scheduler)
    scheduler.block(:mine, 10)
    flunk "not cancelled"
  rescue IndexError
    yield
  end

  def seconds
    start = Timers.now
    yield
    Timers.now - start
  end
end
