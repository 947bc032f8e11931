# frozen_string_literal: true

require "test_helper"
require_relative "../rakelib/soaking"
require_relative "soak/growth"
require_relative "../bench/support/servers/memcached_server"

# Nothing grows with the number of operations, of whatever kind. Here are some of the kinds for a moment each; `rake soak` runs all of
# them, for an hour.
class GrowthTest < Trunkline::TestCase
  KINDS = %w[fibers texts errors_and_notices transactions_in_threads transactions_in_plain_fibers connections_that_live_briefly clients_with_futures dropped_clients
             futures_in_threads_that_end large_answers_of_futures dropped_subscriptions types_that_come_and_go sequel_in_fibers].freeze
  SECONDS = 2
  # For a kind that seems to grow: on a busy machine few operations fit into the first time, and what is in flight differs by more than they would leak.
  AGAIN = 10
  private_constant :KINDS, :SECONDS, :AGAIN

  def test_nothing_grows
    memcached = Trunkline::Bench::MemcachedServer.start
    soaking = Soaking.new(postgres_server.uri, memcached.address)
    suspects = KINDS.zip(soaking.run_each(KINDS, SECONDS)).reject { |_, (none, _)| none }
    grown = suspects.zip(soaking.run_each(suspects.map(&:first), AGAIN)).reject { |_, (none, _)| none }
    assert_empty(grown.map { |(kind, (_, first)), (_, seen)| "#{kind}: #{seen}; and at first #{first}" })
  ensure
    memcached&.stop
  end

  def test_all_kinds_are_known
    assert_empty KINDS - Soaking.kinds
  end

  def test_growth_is_seen
    operations = Array.new(9) { |look| 10_000 + (look * 1000) }
    steady = Array.new(9) { |look| [50_000 + (look.even? ? 2000 : 0), 20_000_000 + (look % 3 * 100_000)] }
    assert_predicate Soak::Growth.new(operations, steady), :none?
    assert_predicate Soak::Growth.new(operations, steady.each_with_index.map { |(slots, bytes), look| [slots + (look == 4 ? 50_000 : 0), bytes] }), :none?
    refute_predicate Soak::Growth.new(operations, steady.each_with_index.map { |(slots, bytes), look| [slots + (look * 1000), bytes] }), :none?
    refute_predicate Soak::Growth.new(operations, steady.each_with_index.map { |(slots, bytes), look| [slots, bytes + (look * 300_000)] }), :none?
  end
end
