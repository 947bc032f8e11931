# frozen_string_literal: true

require "test_helper"
require_relative "../../bench/support/failover_load"
require_relative "../../bench/support/promotion_probe"
require_relative "../../bench/support/servers/patroni_cluster"

module Trunkline
  # Three servers that Patroni runs, whose leader hands over, is killed, or is frozen and wakes up again, under load. It prints the figures.
  class PatroniTest < TestCase
    WRITERS = 20
    PAUSE = 0.02 # seconds between two writes of one
    ENOUGH = 200 # writes before and after
    PATIENCE = 60 # seconds for these
    # What happens to the leader, and how its node comes back.
    FAILURES = {
      "switchover" => [->(cluster, _) { cluster.switchover }, ->(_, _) {}],
      "killed" => [->(cluster, leader) { cluster.kill(leader) }, ->(cluster, leader) { cluster.restart(leader) }],
      "frozen" => [->(cluster, leader) { cluster.freeze_node(leader) }, ->(cluster, leader) { cluster.resume(leader) }]
    }.freeze
    private_constant :WRITERS, :PAUSE, :ENOUGH, :PATIENCE, :FAILURES

    def test_synchronous_replication
      each_failure(synchronous: true) { |load, figures| assert_equal 0, figures[:lost], told(load, figures) }
    end

    # What the standbys had not received when the leader ended is lost, as with any client: some of that is acknowledged as it ends. Nothing is that was
    # acknowledged once the next leader took writes, and nothing at all where the leader hands over.
    def test_asynchronous_replication
      each_failure(synchronous: false) do |load, figures, promoted_at, failure|
        assert_equal 0, failure == "switchover" ? figures[:lost] : load.lost_after(promoted_at), told(load, figures)
      end
    end

    private

    def each_failure(synchronous:)
      Bench::PatroniCluster.open(synchronous: synchronous) do |cluster|
        FAILURES.each do |name, (fail, mend)|
          load, figures, promoted_at, resumed = under_load(cluster, fail, mend)
          report("#{name}, #{synchronous ? "synchronous" : "asynchronous"}", load, figures, resumed)
          assert_equal [0, 0, WRITERS], [*figures.values_at(:errors, :doubled), resumed.size], told(load, figures)
          yield load, figures, promoted_at, name
        end
      end
    end

    def under_load(cluster, fail, mend)
      leader = cluster.leader
      leader.psql("DROP TABLE IF EXISTS tokens; CREATE TABLE tokens (token text)")
      cluster.await_members
      probe = Bench::PromotionProbe.new((cluster.nodes - [leader]).to_h { |node| [node, node.uri] })
      with_client(cluster) do |db|
        load = Bench::FailoverLoad.over(db, WRITERS, pause: PAUSE)
        enough_more(load, db, since: 0)
        fail.call(cluster, leader)
        promoted, promoted_at = probe.await
        enough_more(load, db)
        mend.call(cluster, leader)
        cluster.await_members
        assert_equal promoted.name, cluster.leader&.name, "Patroni has another leader than the promoted one"
        enough_more(load, db)
        load.finish
        [load, load.compared_with(promoted), promoted_at, load.resumed_after(promoted_at)]
      end
    ensure
      probe&.stop
    end

    def with_client(cluster, &block)
      Trunkline.postgres("postgresql://postgres@#{cluster.hosts}/postgres?target_session_attrs=read-write&connect_timeout=2", failover_wait: 120, &block)
    end

    def enough_more(load, db, **since)
      assert load.await(ENOUGH, timeout: PATIENCE, **since), -> { [load.whereabouts, *db.stats[:hosts]].join("\n") }
    end

    def report(name, load, figures, resumed)
      at = ->(share) { resumed[((resumed.size - 1) * share).round] * 1000 }
      puts format("%<name>s: %<gap>.1f s without a write; writers went on %<median>.0f ms (median), %<most>.0f ms (95 %%), %<last>.0f ms (last) after the " \
                  "promotion; %<figures>s", name: name, gap: load.gap, median: at[0.5], most: at[0.95], last: at[1], figures: figures)
    end

    def told(load, figures) = "#{figures} #{Array.new(load.errors.size) { load.errors.pop.message }.tally}"
  end
end
