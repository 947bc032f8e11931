# frozen_string_literal: true

require "test_helper"
require "support/schedulers/hostile_scheduler"
require_relative "scheduler_behaviour"

class HostileSchedulerTest < Minitest::Test
  # Ruby's own waits survive each kind of hostility.
  {
    Inline: { inline: true },
    InlineYielding: { inline: true, yielding: true },
    Spurious: { spurious: 0.5 },
    Reordering: { reorder: true },
    Everything: { inline: true, spurious: 0.3, reorder: true, yielding: true }
  }.each do |name, options|
    const_set("#{name}Test", Class.new(Minitest::Test) do
      include SchedulerBehaviour

      define_method(:run_scheduler) do |&block|
        HostileScheduler.run(limit: 20, seed: 1, **options) do |scheduler|
          block.call(scheduler).tap { assert_empty scheduler.violations }
        end
      end

      private :run_scheduler

      # The order of its cases depends on no chance.
      undef_method(:test_a_cancel_comes_before_anything_else) if options[:reorder]
    end)
  end

  def test_resumes_inside_unblock
    order = []
    hostile(inline: true) do |scheduler|
      fiber = Fiber.schedule { scheduler.block(:mine) && order << :woken }
      scheduler.unblock(:mine, fiber)
      order << :waker
    end
    assert_equal %i[woken waker], order
  end

  def test_resumes_inside_unblock_by_yielding
    order = []
    hostile(inline: true, yielding: true) do |scheduler|
      fiber = Fiber.schedule { scheduler.block(:mine) && order << :woken && sleep(0) && order << :later }
      scheduler.unblock(:mine, fiber)
      order << :waker
    end
    assert_equal %i[woken waker later], order
  end

  def test_wakes_for_nothing
    hostile(spurious: 0.5) { |scheduler| assert scheduler.block(:never_unblocked) }
  end

  def test_the_seed_decides_the_order
    orders = [1, 1, 2].map { |seed| order_of_ten(seed) }
    assert_equal orders[0], orders[1]
    refute_equal orders[0], orders[2]
    assert_equal (0..9).to_a, orders[2].sort
  end

  def test_lacks_hooks
    hostile(without: %i[yield timeout_after]) do |scheduler|
      refute_respond_to scheduler, :yield
      refute_respond_to scheduler, :timeout_after
      assert_respond_to scheduler, :io_wait
    end
  end

  def test_cancels_exposed_fibers_before_while_and_after_waiting
    moments = Hash.new(0)
    hostile(cancel: 1.0) do |scheduler|
      60.times { Fiber.schedule { expose_one_wait(scheduler, moments) } }
      assert sleep(0.01)
    end
    assert_equal ["after waking", "before waiting", "while waiting"], moments.keys.sort
  end

  def test_a_wake_up_that_no_fiber_waits_for_ends_another_wait
    scheduler = hostile do |running|
      queue = Thread::Queue.new
      sleeper = Fiber.schedule { sleep(60) && queue << :slept }
      running.unblock(:mine, sleeper)
      assert_equal :slept, queue.pop
    end
    assert_match(/waiting in sleep/, scheduler.violations.fetch(0))
  end

  def test_a_wake_up_left_behind_ends_the_next_wait
    scheduler = hostile do |running|
      victim = Fiber.schedule do
        running.block(:mine)
      rescue IndexError
        sleep(60)
      end
      running.unblock(:mine, victim)
      running.cancel(victim, IndexError.new)
    end
    assert_match(/left behind/, scheduler.violations.fetch(0))
  end

  def test_a_timeout_counts_until_the_turn
    scheduler = hostile(punctual: true) do |running|
      victim = Fiber.schedule { [running.block(:mine, 0.01), sleep(60)] }
      running.unblock(:mine, victim)
      start = Timers.now
      nil until Timers.now - start > 0.01
    end
    assert_match(/waits in sleep with a wake-up left behind/, scheduler.violations.fetch(0))
  end

  def test_forgets_a_wake_up_with_its_wait
    scheduler = hostile(forgetful: true) do |running|
      victim = Fiber.schedule do
        running.block(:mine)
      rescue IndexError
        refute running.block(:mine, 0.01)
      end
      running.unblock(:mine, victim)
      running.cancel(victim, IndexError.new)
    end
    assert_empty scheduler.violations
  end

  private

  # @return [HostileScheduler] for what it has recorded
  def hostile(**options)
    observed = nil
    HostileScheduler.run(limit: 20, seed: 1, **options) { |scheduler| yield(observed = scheduler) }
    observed
  end

  def order_of_ten(seed)
    order = []
    HostileScheduler.run(limit: 20, seed: seed, reorder: true) do
      10.times { |index| Fiber.schedule { sleep(0) && order << index } }
    end
    order
  end

  def expose_one_wait(scheduler, moments)
    scheduler.expose { sleep(0.005) }
  rescue HostileScheduler::Cancelled => error
    moments[error.message] += 1
  end
end
