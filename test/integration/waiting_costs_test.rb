# frozen_string_literal: true

require "test_helper"
require "async"
require "support/database_helpers"

# What it costs to wait in line: a caller stands there, sleeps, and is woken once, by the caller that frees a connection for it.
class WaitingCostsTest < Trunkline::TestCase
  include DatabaseHelpers

  CALLERS = 40
  EACH = 5
  LONG = "SELECT 1 FROM pg_sleep(0.004)" # more than two milliseconds, so that each needs an idle connection
  # Calls of methods of this library, in Ruby and in C, for a query that waits, all in all: 163 were counted with 200 callers, where one that does not wait
  # takes 10, and 326 where each caller that came to wait looked for room.
  A_WAIT = 250
  # Calls of one look for all that wait, each 20 ms: there are as many as the machine is slow.
  A_LOOK = 300
  private_constant :CALLERS, :EACH, :LONG, :A_WAIT, :A_LOOK

  # Two are at the server at once: the third connection is left to others.
  def test_a_query_that_waits_is_woken_once_and_takes_few_calls
    with_client(connections: 1, max_connections: 4) do |db|
      ask_together(db)
      waited = db.stats[:queue][:waited]
      counts = count_calls { ask_together(db) }
      waits = db.stats[:queue][:waited] - waited
      assert_operator waits, :>, CALLERS * EACH / 2
      looks = counts.fetch([:WaitQueue, :watch], 0)
      assert_operator counts.fetch([:"CallerQueue::Entry", :wake]), :<=, waits
      assert_operator counts.values.sum, :<=, (CALLERS * EACH * A_WAIT) + (looks * A_LOOK)
    end
  end

  private

  def ask_together(db)
    Sync { |task| Array.new(CALLERS) { task.async { EACH.times { db.query(LONG) } } }.each(&:wait) }
  end

  # @return [Hash{Array(Symbol, Symbol) => Integer}] class and method
  def count_calls(&block)
    counts = {}.compare_by_identity
    trace = TracePoint.new(:call, :c_call) { |point| (counts[point.defined_class] ||= Hash.new(0))[point.method_id] += 1 }
    trace.enable(target_thread: Thread.current, &block)
    ours = counts.select { |owner,| owner.inspect.match?(/\A(#<Class:)?Trunkline::/) }
    ours.flat_map { |owner, methods| methods.map { |name, count| [[owner.inspect.delete_prefix("Trunkline::").to_sym, name], count] } }.to_h
  end
end
