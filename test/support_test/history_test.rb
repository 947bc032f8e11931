# frozen_string_literal: true

require "test_helper"
require "delegate"
require "support/history/run"

# What the history finds when a client does wrong.
class BrokenClientTest < Trunkline::TestCase
  # Gives every second caller what another one was told.
  class Swapping < SimpleDelegator
    def value(...)
      @kept, answer = super, @kept
      answer || @kept
    end
  end

  # Acknowledges what it does not send.
  class Losing < SimpleDelegator
    def value(sql, *parameters, **options)
      sql.start_with?("INSERT") ? parameters.first : super
    end
  end

  # Sends again what has been answered.
  class Repeating < SimpleDelegator
    def value(sql, ...)
      super(sql, ...).tap { super(sql, ...) if sql.start_with?("INSERT") }
    end
  end

  # Commits each statement of a transaction by itself.
  class Committing < SimpleDelegator
    def transaction(**)
      yield __getobj__
    rescue Trunkline::Rollback
      nil
    end
  end

  # Leaves sessions as they are for the next caller.
  class Leaving < SimpleDelegator
    def session = yield(self)
    def query(sql, *parameters) = sql.include?("set_config") ? @left = parameters.first : super
    def value(sql, *parameters, **options) = sql.include?("current_setting") ? @left : super
  end

  # Says that nothing was sent when it was.
  class Lying < SimpleDelegator
    def value(...) = super && raise(Trunkline::NotSent, "no connection")
  end

  # Has a bug.
  class Failing < SimpleDelegator
    def value(...) = nil.size
  end

  { Swapping => /got \[?\d.* instead of \[?\d/, Losing => /is there 0 times, and should be once/,
    Repeating => /is there 2 times, and should be/, Committing => /is there 1 times, and should be never/,
    Leaving => /got \[(true|false), "\d*"\] instead of \[true, "\d+"\]/, Lying => /is there 1 times, and should be never/,
    Failing => /nothing explains .*NoMethodError/ }.each do |client, what|
    define_method(:"test_#{client.name.split("::").last.downcase}") do
      run = run_with(client) { |db| client.new(db) }
      assert_match what, run.report
      assert_match(/caller \d+, tokens .*\n +\+0\.0+ begun\n(.*\n)* +.* VIOLATION: /, run.report)
    end
  end

  def test_none
    run = run_with(&:itself)
    assert_empty run.report
    assert_operator run.counts[:answers], :>=, 200
  end

  # What one caller does is its seed's, whatever else happens.
  def test_the_same_seed_makes_the_same_plan
    plans = [1, 1, 2].map do |seed|
      troubles = GateProxy::Troubles.from(seed, History::Run::TROUBLES)
      [[1, :answers], [1, :requests], [2, :answers]].map { |link| places(troubles.call(*link)) }
    end
    assert_equal plans[0], plans[1]
    assert_equal 6, (plans[0] + plans[2]).uniq.size
  end

  private

  def run_with(client = nil, &wrap)
    kinds = client == Leaving ? { session: 1 } : History::Operations::WEIGHTS
    options = { kinds: kinds, answers: 200, interruptions: 0, troubles: {}, faults: {} }
    History::Run.new(postgres_server, environment: :threads, seed: Minitest.seed, **options, &wrap).call
  end

  # @return [Array<Numeric>] where the first troubles of a connection come
  def places(troubles)
    position = 0
    Array.new(20) do
      troubles.passed(position += troubles.room(position, Float::INFINITY), 0)
      position
    end
  end
end
