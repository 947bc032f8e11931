# frozen_string_literal: true

require "test_helper"
require "support/history/run"

# Everything at once, until so many callers have been interrupted at random moments: nothing hangs, no answer goes astray, no
# wait for something else is cut short. What goes wrong comes from callers and event loops alone. The seed is Minitest's.
class SoakTest < Trunkline::TestCase
  WAITING = History::Operations::WEIGHTS.merge(wait: 4).freeze
  private_constant :WAITING

  History::Environment::ALL.each_key do |environment|
    define_method(:"test_#{environment}") do
      options = { answers: 800, interruptions: 150, troubles: nil, faults: {}, kinds: WAITING }
      run = History::Run.new(postgres_server, environment: environment, seed: Minitest.seed, **options).call
      assert_empty run.report
      assert_operator run.counts[:interruptions], :>=, 150
    end
  end
end
