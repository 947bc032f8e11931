# frozen_string_literal: true

require "test_helper"
require "support/history/run"

# Every answer is its caller's own, and every acknowledged commit is there exactly once: whatever the callers do, and whatever becomes
# of connections, servers and callers. Some seconds here; `rake "history[10]"` goes on for minutes. The seed is Minitest's.
class HistoryTest < Trunkline::TestCase
  ANSWERS = 800
  private_constant :ANSWERS

  class << self
    # One for all tests: it is restarted again and again.
    def server = @server ||= Trunkline::Bench::PostgresServer.start
  end

  %i[async reference hostile threads loops].each do |environment|
    define_method(:"test_#{environment}") do
      run = History::Run.new(HistoryTest.server, environment: environment, seed: Minitest.seed, answers: ANSWERS).call
      assert_empty run.report
      assert_empty run.gaps.keys - run.counts.keys
    end
  end
end
