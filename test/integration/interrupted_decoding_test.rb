# frozen_string_literal: true

require "bigdecimal"
require "suites"

# A thread is interrupted while Ruby decodes a row, its own or that of a request before it on the same connection.
class InterruptedDecodingTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Threads

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
        interrupted(interruption) { assert_includes [Stop, nil], ended_by { db.value("SELECT 'behind it'") } }
        assert_equal [[BigDecimal("2.5")] * 3, pid], [other.value.column, db.value("SELECT pg_backend_pid()")]
      end
    end
  end

  private

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
