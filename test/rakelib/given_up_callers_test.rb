# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/given_up_callers"

# A short form of rake given_up. A fiber that is dropped within a transaction in a thread that lives keeps its connection for 30 seconds.
class GivenUpCallersTest < Trunkline::TestCase
  SECONDS = 2
  RUNS = 10 # at most, until so many answers have been right: a slow machine gives few in one
  RIGHT = 20
  HOSTS = GivenUpCallers::HOSTS - %i[thread_lives thread_asks]
  private_constant :SECONDS, :RUNS, :RIGHT, :HOSTS

  def test_nothing_stays_behind
    outcomes = Hash.new(0)
    RUNS.times do |run|
      GivenUpCallers.new(postgres_server.uri, seed: Minitest.seed + run, hosts: HOSTS).run(SECONDS).each { |outcome, count| outcomes[outcome] += count }
      break if outcomes[:right] > RIGHT
    end
    assert_empty outcomes.slice(*GivenUpCallers::FAULTS)
    assert_operator outcomes[:right], :>, RIGHT, outcomes
  end
end
