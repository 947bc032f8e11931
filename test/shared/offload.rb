# frozen_string_literal: true

module Shared
  # Work on threads beside an event loop. The test includes a host of fibers.
  module Offload
    Stopped = Class.new(Exception) # rubocop:disable Lint/InheritException

    def workers(threads = 2, queue = 4) = Trunkline::Workers.new(threads: threads, queue: queue)

    # Runs blocks that wait for the gate until as many run as there are threads.
    def occupied(workers)
      gate, begun = Thread::Queue.new, Thread::Queue.new
      callers = Array.new(workers.threads) { later { workers.run { begun.push(true) && gate.pop } } }
      callers.size.times { begun.pop }
      yield gate, callers
    ensure
      callers.size.times { gate.push(:open) }
      callers.each(&:error)
    end

    def test_the_value_comes_back_from_another_thread
      in_host do
        loop_thread = Thread.current
        value, thread = Trunkline.offload { [:value, Thread.current] }
        assert_equal :value, value
        refute_same loop_thread, thread
      end
    end

    def test_an_error_comes_back
      in_host do
        assert_equal "broken", assert_raises(KeyError) { Trunkline.offload { raise KeyError, "broken" } }.message
        assert_raises(NotImplementedError) { Trunkline.offload { raise NotImplementedError } }
        assert_raises(UncaughtThrowError) { Trunkline.offload { throw :out } }
        assert_match(/ended its thread/, assert_raises(ThreadError) { Trunkline.offload { Thread.exit } }.message)
        assert_equal 1, Trunkline.offload { 1 }
      end
    end

    # Blocking calls that no scheduler sees: what opens the gate is another fiber of the same loop.
    def test_the_loop_continues_meanwhile
      in_host do
        reader, writer = IO.pipe
        blocking = later { Trunkline.offload { reader.sysread(1) } }
        writer.write("x")
        assert_equal "x", blocking.value
        assert_equal [1, 2, 3], side_by_side([1, 2, 3]) { |number| Trunkline.offload { number } }
      ensure
        [reader, writer].each(&:close)
      end
    end

    def test_within_a_block_it_is_just_run
      in_host { assert_equal [true, :inner], Trunkline.offload { outer = Thread.current; Trunkline.offload { [outer.equal?(Thread.current), :inner] } } }
    end

    def test_too_many
      in_host do
        workers = self.workers(1, 1)
        occupied(workers) do |gate|
          waiting = later { workers.run { :waited } }
          error = assert_raises(Trunkline::Overloaded) { workers.run { 1 } }
          assert_match(/1 blocks run on 1 threads and 1 wait/, error.message)
          assert_predicate error, :retriable?
          gate.push(:open)
          assert_equal :waited, waiting.value
        end
      end
    end

    def test_a_block_that_has_not_begun_is_cancelled_with_its_caller
      in_host do
        workers = self.workers(1, 2)
        ran = []
        occupied(workers) do |gate|
          waiting = Array.new(2) { |number| later { workers.run { ran.push(number) } } }
          waiting.first.cancel(Stopped.new)
          assert_kind_of Stopped, waiting.first.error
          gate.push(:open)
          waiting.last.value
        end
        assert_equal [1], ran
      end
    end

    def test_a_block_that_has_begun_is_left_to_its_end
      in_host do
        workers = self.workers(1, 1)
        occupied(workers) do |_gate, callers|
          callers.first.cancel(Stopped.new)
          assert_kind_of Stopped, callers.first.error
        end
        assert_equal :next, workers.run { :next }
      end
    end

    def test_deadlines
      in_host do
        workers = self.workers(1, 2)
        occupied(workers) do
          error = assert_raises(Trunkline::Deadline) { workers.run(deadline: 0.01) { 1 } }
          assert_equal [false, true], [error.sent?, error.retriable?]
          assert_raises(Trunkline::Deadline) { Trunkline.deadline(0.01) { workers.run { 1 } } }
        end
        gate = Thread::Queue.new
        error = assert_raises(Trunkline::Deadline) { workers.run(deadline: 0.05) { gate.pop } }
        gate.push(1)
        assert_match(/has passed/, error.message)
        assert_equal 2, workers.run(deadline: 30) { 2 }
      end
    end

    def test_in_a_transaction_it_says_why_not
      in_host_with_client do |db|
        db.transaction do |tx|
          tx.query("SELECT 1")
          assert_match(/cannot use the transaction/, assert_raises(Trunkline::SharedStateError) { Trunkline.offload { 1 } }.message)
        end
        assert_equal 1, Trunkline.offload { db.value("SELECT 1") }
      end
    end

    def test_pipeline_in_an_action
      in_host do
        action = Class.new { include Trunkline::Pipelined }.class_eval { def call(value) = pipeline { value * 2 } and self }.new
        assert_equal 42, action.call(21)
        assert_raises(NoMethodError) { action.pipeline { 1 } }
      end
    end
  end
end
