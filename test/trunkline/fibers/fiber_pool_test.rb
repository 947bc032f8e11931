# frozen_string_literal: true

require "test_helper"
require "shared/fiber_pool"
require "support/children"
require "support/schedulers/event_machine_host"
require "support/each_host"

module Trunkline
  class FiberPoolTest < TestCase
    extend EachHost
    include Children

    in_hosts Shared::FiberPool, hosts: Hosts::LOOPS, named: "Under%sTest"
    in_hostile_hosts Shared::FiberPool, named: "Under%sSchedulerTest"

    def test_sizes
      assert_equal 50, FiberPool.new.size
      [0, -1, 1.5, nil, "1"].each do |size|
        assert_match(/positive Integer, not #{Regexp.escape(size.inspect)}/, assert_raises(ArgumentError) { FiberPool.new(size) }.message)
      end
    end

    def test_run_brings_an_event_loop
      slept = FiberPool.new(10).run do |pool|
        Array.new(10) { |number| pool.spawn { sleep(0.01) && number } }.map(&:value)
      end
      assert_equal (0..9).to_a, slept
    end

    def test_what_needs_an_event_loop_says_so
      assert_match(/use run/, assert_raises(Error) { FiberPool.new.spawn { 1 } }.message)
      assert_raises(ArgumentError) { FiberPool.new.spawn }
      assert_raises(ArgumentError) { FiberPool.new.run }
    end

    def test_without_async_the_error_says_what_to_do
      program = <<~RUBY
        def require(name) = name == "async" ? raise(LoadError) : super
        begin
          Trunkline::FiberPool.new.run { 1 }
        rescue Trunkline::Error => error
          puts error.message
        end
      RUBY
      assert_match(/add the async gem/, run_program(program).first)
    end

    def test_one_event_loop_at_a_time
      pool = FiberPool.new(2)
      Sync do
        gate = Thread::Queue.new
        pool.spawn { gate.pop }
        other = Thread.new { Sync { pool.spawn { 1 } } }
        other.report_on_exception = false
        assert_match(/another event loop/, assert_raises(Error) { other.value }.message)
        gate.push(1)
        pool.wait
      end
      assert_equal 2, Thread.new { Sync { pool.spawn { 2 }.value } }.value
    end

    # Async ends with a task those that it has started.
    def test_a_stopped_task_does_not_take_the_fibers_along
      pool = FiberPool.new(2)
      Sync do |parent|
        gate = Thread::Queue.new
        spawned = nil
        task = parent.async { (spawned = pool.spawn { gate.pop }) && sleep }
        parent.yield until spawned
        task.stop
        gate.push(:still_here)
        assert_equal :still_here, spawned.value
      end
    end

    def test_a_killed_event_loop_leaves_a_pool_that_can_begin_anew
      pool = FiberPool.new(2)
      started = Thread::Queue.new
      thread = Thread.new { Sync { pool.spawn { started.push(1) && Thread::Queue.new.pop } && pool.wait } }
      started.pop
      thread.kill.join
      assert_equal :anew, Sync { pool.spawn { :anew }.value }
    end
  end
end
