# frozen_string_literal: true

require "test_helper"
require "active_support"
require "active_support/isolated_execution_state"
require "shared/offload"
require "support/children"
require "support/database_helpers"
require "support/schedulers/event_machine_host"
require "support/each_host"

module Trunkline
  class OffloadTest < TestCase
    extend EachHost
    include Children

    in_hosts DatabaseHelpers, Shared::Offload, hosts: Hosts::LOOPS, named: "Under%sTest"

    # Woken for nothing, a fiber may see that another thread has decided to wake it.
    calm = HOSTILITIES.reject { |_, hostility| hostility[:spurious] }
    in_hostile_hosts DatabaseHelpers, Shared::Offload, hostilities: calm, named: "Under%sSchedulerTest"

    def test_outside_an_event_loop_it_is_just_run
      assert_same Thread.current, Trunkline.offload { Thread.current }
      assert_equal 1, Trunkline.offload(deadline: 5) { 1 }
      assert_raises(ArgumentError) { Trunkline.offload }
    end

    def test_numbers
      assert_raises(ArgumentError) { Workers.new(threads: 0) }
      assert_raises(ArgumentError) { Workers.new(threads: "2") }
      assert_raises(ArgumentError) { Workers.new(queue: -1) }
      assert_equal [4, 256], [Trunkline.workers.threads, Trunkline.workers.queue]
    end

    def test_threads_are_started_as_they_are_needed
      workers = Workers.new(threads: 3)
      Sync do
        assert_match(%r{threads=0/3}, workers.inspect)
        5.times { |number| assert_equal number, workers.run { number } }
        assert_match(%r{threads=1/3 busy=0 queued=0}, workers.inspect)
      end
    end

    # The thread that ends would have taken what is enqueued before it is no longer counted.
    def test_a_block_that_is_enqueued_while_the_only_thread_ends
      workers = Workers.new(threads: 1)
      waiting = Thread::Queue.new
      when_one_leaves(workers) do
        waiting << Thread.new { Sync { workers.run { 2 } } }
        Thread.pass until workers.inspect.include?("queued=1")
      end
      Sync { assert_raises(ThreadError) { workers.run { Thread.exit } } }
      assert_equal 2, waiting.pop.join(60)&.value
    end

    def test_active_supports_state_comes_along
      state = ActiveSupport::IsolatedExecutionState
      Sync do
        state[:tenant] = 7
        assert_equal 7, Trunkline.offload { state[:tenant] }
        Trunkline.offload { state[:tenant] = 8 }
        assert_equal 7, state[:tenant]
      ensure
        state.clear
      end
      Sync { assert_nil(Trunkline.offload { state[:tenant] }) }
    end

    # On Rubies that have it.
    def test_a_fibers_storage_comes_along
      output, status = run_program(<<~RUBY)
        require "async"
        exit if RUBY_VERSION < "3.2"
        Sync do
          Fiber[:tenant] = 7
          exit(Trunkline.offload { Fiber[:tenant] } == 7)
        end
      RUBY
      assert_predicate status, :success?, output
    end

    # Whatever the callers may not be interrupted by.
    def test_a_program_with_threads_ends
      output, status = run_program("require 'async'; Sync { Trunkline.offload { 1 } }; puts :end")
      assert_equal ["end\n", true], [output, status.success?]
    end

    def test_a_forked_child_starts_threads_of_its_own
      Sync { Trunkline.offload { 1 } }
      assert_equal 2, in_child { Sync { Trunkline.offload { 2 } } }
    end

    private

    # Runs the block before a thread of the workers takes their lock for the third time: for the beginning and the end of its job, and as it leaves.
    def when_one_leaves(workers, &block)
      lock = workers.instance_variable_get(:@lock)
      turns = 0
      lock.define_singleton_method(:synchronize) do |&work|
        block.call if Thread.current.name == "trunkline worker" && (turns += 1) == 3
        super(&work)
      end
    end
  end
end
