# frozen_string_literal: true

require "async"
require "bigdecimal"
require "suites"

# A thread is interrupted while Ruby decodes a row, its own or that of a request before it on the same connection.
class InterruptedDecodingTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Threads
  include Leeway

  Stop = Class.new(StandardError)
  private_constant :Stop

  def test_an_error_that_is_raised_in_the_thread_reaches_its_caller
    with_client(connections: 1, max_connections: 1) do |db|
      pid = db.value("SELECT pg_backend_pid()")
      interrupted(-> { Thread.current.raise(Stop, "enough") }) do
        assert_equal "enough", assert_raises(Stop) { db.value("SELECT 1.5") }.message
      end
      assert_equal [pid, BigDecimal("1.5")], [db.value("SELECT pg_backend_pid()"), db.value("SELECT 1.5")]
    end
  end

  def test_the_row_of_another_request_is_read_once
    [-> { Thread.current.raise(Stop) }, ->(thread = Thread.current) { killed_by_another(thread) }].each do |interruption|
      with_client(connections: 1, max_connections: 1) do |db|
        pid = db.value("SELECT pg_backend_pid()")
        other = db.async("SELECT 2.5 FROM generate_series(1, 3)")
        with_much_leeway { interrupted(interruption) { assert_includes [Stop, nil], ended_by { db.value("SELECT 'behind it'") } } }
        assert_equal [[BigDecimal("2.5")] * 3, pid], [other.value.column, db.value("SELECT pg_backend_pid()")]
      end
    end
  end

  # Ruby raises in the fiber that runs, and takes the error for the row's. It may be raised again from there on, or not.
  def test_an_error_that_is_raised_in_the_thread_of_an_event_loop
    with_client(connections: 1, max_connections: 1) do |db|
      pid = db.value("SELECT pg_backend_pid()")
      interrupted(-> { Thread.current.raise(Stop, "enough") }) do
        *before, error, behind, last = in_event_loop { |task| ["'before'", "1.5", "2.5", "'last'"].map { |sql| task.async { db.value("SELECT #{sql}") rescue $! } }.map(&:wait) }.value
        assert_equal [["before"], Trunkline::UnreadableResult, Stop, BigDecimal("2.5"), "last"], [before, error.class, error.cause.class, behind, last]
      end
      assert_equal pid, db.value("SELECT pg_backend_pid()")
    end
  end

  # The event loop ends with it, and stops its fibers.
  def test_an_error_that_is_raised_in_the_thread_of_an_event_loop_that_sleeps
    name = unique_name
    with_client(connections: 1, max_connections: 1, application_name: name) do |db|
      thread = in_event_loop { |task| 3.times.map { task.async { db.query("SELECT pg_sleep(1000)") } }.each(&:wait) }
      thread.report_on_exception = false
      running = "SELECT 1 FROM pg_stat_activity WHERE application_name = '#{name}' AND wait_event = 'PgSleep'"
      assert eventually { psql(running).any? }
      thread.raise(Stop)
      assert_raises(Stop) { thread.value }
      assert_equal 7, db.value("SELECT 7")
      assert eventually { psql(running).empty? }
    end
  end

  private

  # A thread whose fibers are Async's.
  def in_event_loop(&block) = Thread.new { Sync(&block) }

  # A thread that kills itself does so at once.
  def killed_by_another(thread)
    Thread.new { thread.kill }
    Thread.pass until thread.pending_interrupt?
  end

  # The class of what ends a thread that runs the block; nil: it was killed.
  def ended_by(&block)
    thread = Thread.new(&block)
    thread.report_on_exception = false
    thread.value.nil? ? nil : :answered
  rescue Stop => error
    error.class
  end

  # The first number that is decoded interrupts the thread that decodes it.
  def interrupted(interruption, &block)
    number = Kernel.method(:BigDecimal).unbind.bind(Kernel)
    first = true
    decode = lambda do |text|
      now, first = first, false
      interruption.call if now
      number.call(text)
    end
    Kernel.stub(:BigDecimal, decode, &block)
  end
end
