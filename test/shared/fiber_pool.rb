# frozen_string_literal: true

module Shared
  # Reusable fibers, under any event loop. The test includes a host of fibers.
  module FiberPool
    Stopped = Class.new(Exception) # rubocop:disable Lint/InheritException

    def pool(size = 4) = Trunkline::FiberPool.new(size)

    def test_what_blocks_return
      in_host do
        pool = self.pool
        tasks = Array.new(20) { |number| pool.spawn { pause(number) && number } }
        assert_equal (0..19).to_a, tasks.map(&:value)
        assert tasks.all?(&:done?)
        assert_same pool, pool.wait
      end
    end

    # Within one fiber in order, between them in turns.
    def test_blocks_interleave_and_each_is_in_order
      in_host do
        steps = []
        pool = self.pool(3)
        3.times { |number| pool.spawn { 4.times { |step| steps.push([number, step]) && pause(1) } } }
        pool.wait
        3.times { |number| assert_equal [0, 1, 2, 3], steps.filter_map { |caller, step| step if caller == number } }
        refute_equal steps.sort, steps
      end
    end

    def test_no_more_run_at_once_than_there_are_fibers
      in_host do
        running = most = 0
        pool = self.pool(3)
        20.times do |number|
          pool.spawn do
            most = [most, running += 1].max
            pause(number)
            running -= 1
          end
        end
        pool.wait
        assert_equal [3, 0], [most, running]
      end
    end

    # A caller that spawns more than the fibers can take waits until one is free, and not for all of them.
    def test_a_caller_that_spawns_waits_for_a_free_fiber
      in_host do
        pool = self.pool(2)
        gate = Thread::Queue.new
        earlier = Array.new(2) { pool.spawn { gate.pop } }
        spawner = later { pool.spawn { :third } }
        gate.push(1)
        assert_equal :third, spawner.value.value
        assert_equal 1, earlier.count(&:done?) # the first or the second: the host may wake either
        gate.push(2)
        pool.wait
      end
    end

    def test_an_error_reaches_the_caller_that_awaits_it_and_no_other
      in_host do
        pool = self.pool(2)
        broken = pool.spawn { raise KeyError, "broken" }
        fine = Array.new(5) { |number| pool.spawn { pause(number) && number } }
        assert_equal (0..4).to_a, fine.map(&:value)
        2.times { assert_equal "broken", assert_raises(KeyError) { broken.value }.message }
        assert_kind_of KeyError, broken.error
        assert_same pool, pool.wait
      end
    end

    def test_an_error_that_no_caller_has_awaited_is_raised_by_wait
      in_host do
        pool = self.pool(2)
        pool.spawn { raise KeyError }
        pool.spawn { raise IndexError }
        assert_raises(KeyError) { pool.wait }
        assert_raises(IndexError) { pool.wait }
        assert_same pool, pool.wait
      end
    end

    def test_a_block_that_spawns_never_waits_for_itself
      in_host do
        pool = self.pool(1)
        order = []
        outer = pool.spawn do
          inner = pool.spawn { order.push(:inner) && :value }
          order.push(:outer)
          inner.value
        end
        assert_equal [:value, %i[inner outer]], [outer.value, order]
        assert_raises(KeyError) { pool.spawn { pool.spawn { raise KeyError }.value }.value }
        assert_match(/cannot wait for all/, assert_raises(Trunkline::Error) { pool.spawn { pool.wait }.value }.message)
      end
    end

    def test_a_cancelled_spawner_leaves_the_pool_in_order
      in_host do
        pool = self.pool(1)
        gate = Thread::Queue.new
        first = pool.spawn { gate.pop }
        spawners = Array.new(3) { |number| later { pool.spawn { number } } }
        spawners[1].cancel(Stopped.new)
        assert_kind_of Stopped, spawners[1].error
        gate.push(:first)
        assert_equal [:first, 0, 2], [first.value, spawners[0].value.value, spawners[2].value.value]
        pool.wait
      end
    end

    def test_a_cancelled_waiter_leaves_the_block_running
      in_host do
        pool = self.pool(1)
        gate = Thread::Queue.new
        task = pool.spawn { gate.pop }
        waiters = [later { task.value }, later { pool.wait }]
        waiters.each { |waiter| waiter.cancel(Stopped.new) }
        waiters.each { |waiter| assert_kind_of Stopped, waiter.error }
        gate.push(:done)
        assert_equal :done, task.value
      end
    end

    # A caller that has spawned does not take the pool's fibers along when it ends.
    def test_the_fibers_outlive_the_caller_that_spawned_first
      in_host do
        pool = self.pool(2)
        gate = Thread::Queue.new
        spawned = Thread::Queue.new
        spawner = later do
          spawned.push(pool.spawn { gate.pop })
          gate.pop
        end
        task = spawned.pop
        spawner.cancel(Stopped.new)
        assert_kind_of Stopped, spawner.error
        gate.push(:still_here)
        assert_equal :still_here, task.value
      end
    end

    # Otherwise an event loop could not end.
    def test_without_work_there_are_no_fibers
      in_host do
        pool = self.pool(5)
        3.times do
          20.times { |number| pool.spawn { pause(number) } }
          pool.wait
        end
        assert eventually_idle?(pool), pool.inspect
      end
      in_host { pool.spawn { pause(1) } }
    end

    def test_run_within_an_event_loop
      in_host do
        done = 0
        assert_equal :result, pool.run { |pool| 10.times { |number| pool.spawn { pause(number) && done += 1 } } && :result }
        assert_equal 10, done
        assert_raises(KeyError) { pool.run { |pool| pool.spawn { raise KeyError } } }
        assert_raises(KeyError) { pool.run { raise KeyError } }
      end
    end

    private

    def pause(number) = sleep(number.odd? ? 0.001 : 0) && true

    def eventually_idle?(pool)
      10_000.times { pool.inspect.include?("fibers=0") ? break : sleep(0.001) }
      pool.inspect.include?("fibers=0 busy=0 queued=0")
    end
  end
end
