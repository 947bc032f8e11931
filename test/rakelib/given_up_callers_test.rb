# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/given_up_callers"

# A short form of rake given_up. A fiber that is dropped within a transaction in a thread that lives keeps its connection for 30 seconds.
class GivenUpCallersTest < Trunkline::TestCase
  SECONDS = 2
  HOSTS = GivenUpCallers::HOSTS - %i[thread_lives thread_asks]
  private_constant :SECONDS, :HOSTS

  def test_nothing_stays_behind
    outcomes = GivenUpCallers.new(postgres_server.uri, seed: Minitest.seed, hosts: HOSTS).run(SECONDS)
    assert_empty outcomes.slice(*GivenUpCallers::FAULTS)
    assert_operator outcomes[:right], :>, 20, outcomes
  end
end
