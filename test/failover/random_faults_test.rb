# frozen_string_literal: true

require "test_helper"
require "support/faulty_cluster"
require "support/resolver"
require_relative "../../bench/support/failover_load"

module Trunkline
  # Servers, poolers and a name that fail in a random order, while writers of unique tokens use each way to the primary. Nothing that was acknowledged is
  # lost, but for what asynchronous replication itself loses; nothing is there twice; no writer sees another error than one of a request that was sent.
  # TRUNKLINE_FAULTS_SECONDS says for how long, TRUNKLINE_FAULTS_SEED repeats the order.
  class RandomFaultsTest < TestCase
    include Resolver

    SECONDS = Float(ENV.fetch("TRUNKLINE_FAULTS_SECONDS", 60))
    WRITERS = 4    # of each way
    PAUSE = 0.02   # seconds between two writes of one
    ENOUGH = 20    # writes of each way after each fault
    PATIENCE = 60  # seconds for these
    WAIT = 600     # seconds for which callers wait for a primary
    private_constant :SECONDS, :WRITERS, :PAUSE, :ENOUGH, :PATIENCE, :WAIT

    def test_synchronous_replication
      with_faults(synchronous: true) { |load, _| assert_equal 0, load.lost_outside([]) }
    end

    def test_asynchronous_replication
      with_faults(synchronous: false) do |load, faults|
        assert_equal 0, load.lost_outside(faults.select(&:may_lose).map { |fault| fault.began_at..fault.promoted_at })
      end
    end

    private

    def with_faults(synchronous:)
      seed = Integer(ENV.fetch("TRUNKLINE_FAULTS_SEED", rand(1 << 16)))
      FaultyCluster.open(synchronous: synchronous, random: Random.new(seed)) do |cluster|
        resolving(cluster.names) do
          with_loads(cluster) do |loads, clients|
            faults = faults_under(cluster, loads, clients, seed)
            loads.each { |way, load| told(way, load, cluster, faults, seed) { yield load, faults } }
          end
        end
      end
    end

    def with_loads(cluster)
      cluster.primary.psql(cluster.ways.keys.map { |way| "CREATE TABLE #{way} (token text);" }.join)
      clients = cluster.ways.transform_values { |uri, options| Trunkline.postgres(uri, failover_wait: WAIT, **options) }
      yield clients.to_h { |way, db| [way, Bench::FailoverLoad.over(db, WRITERS, pause: PAUSE, table: way.to_s)] }, clients
    ensure
      clients&.each_value(&:close)
    end

    def faults_under(cluster, loads, clients, seed)
      faults = []
      go_on(loads, clients, "seed #{seed}", since: 0)
      ends_at = now + SECONDS
      while now < ends_at
        faults << cluster.fail
        go_on(loads, clients, "seed #{seed}, #{faults.map(&:name)}")
      end
      loads.each_value(&:finish)
      faults
    end

    def go_on(loads, clients, when_, **since)
      loads.each do |way, load|
        assert load.await(ENOUGH, timeout: PATIENCE, **since), -> { [way, when_, load.whereabouts, *clients[way].stats[:hosts]].join("\n") }
      end
    end

    def told(way, load, cluster, faults, seed)
      figures = load.compared_with(cluster.primary, table: way)
      resumed = faults.map { |fault| [load.resumed_after(fault.healed_at).last || Float::INFINITY, fault.name] }.max_by(&:first)
      report = format("%<way>s: %<count>d faults (%<kinds>s; seed %<seed>d); after %<last>s the last writer went on after %<after>.2f s; %<figures>s", way: way, count: faults.size,
                      kinds: faults.map(&:name).tally, seed: seed, last: resumed.last, after: resumed.first, figures: figures)
      puts report if ENV["TRUNKLINE_FAILOVER_REPORT"]
      assert_equal [0, 0], figures.values_at(:errors, :doubled), -> { "#{report}\n#{load.whereabouts}" }
      yield
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
