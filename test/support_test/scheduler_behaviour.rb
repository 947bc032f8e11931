# frozen_string_literal: true

require "socket"
require "timeout"

# What Ruby's own waits must do under any scheduler of the tests. The host defines `run_scheduler { |scheduler| }`.
module SchedulerBehaviour
  def test_returns_the_value_of_the_block
    assert_equal 42, run_scheduler { 42 }
  end

  def test_runs_fibers_side_by_side_and_ends_after_the_last
    order = []
    run_scheduler do
      gates = Array.new(4) { Thread::Queue.new }
      3.times { |index| Fiber.schedule { gates[index].pop && order << index && gates[index - 1].push(true) } }
      gates[2].push(true)
      order << :block
    end
    assert_equal [:block, 2, 1, 0], order
  end

  def test_raises_what_the_block_raises_and_ends_the_others
    ended = false
    error = assert_raises(IndexError) do
      run_scheduler do
        Fiber.schedule do
          sleep
        ensure
          ended = true
        end
        raise IndexError, "first"
      end
    end
    assert_equal "first", error.message
    assert ended
  end

  def test_raises_what_another_fiber_raises
    assert_raises(IndexError) { run_scheduler { Fiber.schedule { sleep(0) && raise(IndexError) } } }
  end

  def test_queue_between_fibers
    assert_equal [1, 2, 3], (run_scheduler do
      queue = Thread::Queue.new
      Fiber.schedule { [1, 2, 3].each { |number| queue << number && sleep(0) } }
      Array.new(3) { queue.pop }
    end)
  end

  def test_queue_from_another_thread
    assert_equal :sent, (run_scheduler do
      queue = Thread::Queue.new
      Thread.new { queue << :sent }
      queue.pop
    end)
  end

  def test_mutex_and_condition_variable
    counter = 0
    run_scheduler do
      mutex = Thread::Mutex.new
      filled = Thread::ConditionVariable.new
      20.times { Fiber.schedule { mutex.synchronize { sleep(0) && (counter += 1) && filled.signal } } }
      mutex.synchronize { filled.wait(mutex) until counter == 20 }
    end
    assert_equal 20, counter
  end

  def test_pipes_and_sockets
    assert_equal %w[pipe socket], (run_scheduler do
      [IO.pipe, UNIXSocket.pair].zip(%w[pipe socket]).map do |(reader, writer), text|
        Fiber.schedule { writer.write(text) && writer.close }
        reader.read
      end
    end)
  end

  def test_wait_for_an_io_times_out
    run_scheduler do
      reader, _writer = IO.pipe
      assert_nil reader.wait_readable(0.01)
      assert_nil reader.wait_readable(0)
    end
  end

  def test_processes_threads_and_names
    run_scheduler do
      assert system("exit 0")
      assert_equal "out\n", `echo out`
      assert_equal 7, Thread.new { 7 }.value
      refute_empty Addrinfo.getaddrinfo("localhost", 1, nil, :STREAM)
    end
  end

  def test_timeout_hits_its_own_fiber_only
    run_scheduler do
      neighbour = Thread::Queue.new
      Fiber.schedule { neighbour << sleep(0.05) }
      assert_raises(Timeout::Error) { Timeout.timeout(0.01) { sleep } }
      assert neighbour.pop
    end
  end

  def test_a_cancel_comes_before_anything_else
    order = []
    run_scheduler do |scheduler|
      victim = Fiber.schedule { sleep_until_cancelled(order) }
      Fiber.schedule { sleep(0) && order << :neighbour }
      assert scheduler.cancel(victim, IndexError.new("cancel"))
      sleep(0.01)
      refute scheduler.cancel(victim, IndexError.new("too late"))
    end
    assert_equal ["cancel", :neighbour], order
  end

  def test_a_cancel_from_another_thread
    messages = []
    run_scheduler do |scheduler|
      victim = Fiber.current
      Thread.new { scheduler.cancel(victim, IndexError.new("from afar")) }
      sleep_until_cancelled(messages)
    end
    assert_equal ["from afar"], messages
  end

  def test_hundreds_of_fibers_and_threads_exchange
    sum = run_scheduler do
      questions = Thread::Queue.new
      threads = Array.new(4) { Thread.new { while (number, answer = questions.pop) do answer << (number * 2) end } }
      answers = Array.new(200) { |number| ask(questions, number) }
      answers.sum(&:pop).tap { questions.close && threads.each(&:join) }
    end
    assert_equal 199 * 200, sum
  end

  private

  def sleep_until_cancelled(messages)
    sleep
  rescue IndexError => error
    messages << error.message
  end

  def ask(questions, number)
    Thread::Queue.new.tap do |answer|
      Fiber.schedule { questions << [number, reply = Thread::Queue.new] && answer << reply.pop }
    end
  end
end
