# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/desync"

# A short form of rake desync.
class DesyncTest < Trunkline::TestCase
  SEED = 19
  ROUNDS = 6
  BATCHES = 6
  private_constant :SEED, :ROUNDS, :BATCHES

  def test_no_query_gets_the_answer_of_another
    desync = Desync.new(postgres_server, seed: SEED)
    ROUNDS.times { desync.round(BATCHES) }
    counts = desync.counts
    assert_equal [0, 0, 0, 0], %i[crossed incomplete unexpected spoilt].map { |wrong| counts[wrong] }, counts
    assert_operator %i[drop double swap insert replace cut].sum { |mutation| counts[mutation] }, :>, ROUNDS, counts
    %i[right refused].each { |outcome| assert_operator counts[outcome], :>, ROUNDS, counts }
  end
end
