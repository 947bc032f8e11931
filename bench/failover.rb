# frozen_string_literal: true

# Writers whose primary hands over, is killed, or is frozen and wakes up again, under Patroni: how long they wait, which writes fail, and which
# are lost or were written twice.

require_relative "support/bench"
require_relative "support/promotion_probe"
require_relative "support/servers/patroni_cluster"

module Trunkline
  module Bench
    # All sides write to one cluster at once, each in a process of its own, and so meet the same failure.
    class Failover < Experiment
      WRITERS = 10
      ENOUGH = 100    # writes of each side before
      AFTERWARDS = 10 # seconds for which writers have the next primary before the former one comes back, and after that
      SIDES = { "Trunkline, failover_wait" => "trunkline", "pg, libpq's host list" => "pg", "ActiveRecord, pg, its own retries" => "activerecord" }.freeze
      HEADERS = ["failure", "side", "gap s", "95 % went on ms after", "writes", "errors", "uncertain", "lost", "of these after the promotion", "doubled"].freeze
      private_constant :WRITERS, :ENOUGH, :AFTERWARDS, :SIDES, :HEADERS

      def run
        results = [true, false].to_h { |synchronous| [synchronous ? "synchronous" : "asynchronous", in_cluster(synchronous)] }
        publish(results.map { |replication, found| table(replication, found) }, { results: results }, figures: figures(results))
      end

      private

      def start = nil

      def in_cluster(synchronous)
        PatroniCluster.open(synchronous: synchronous) do |cluster|
          @version ||= cluster.leader.psql("SHOW server_version").split.first
          %w[switchover killed frozen].to_h { |failure| [failure, under_load(cluster, failure)] }
        end
      end

      def under_load(cluster, failure)
        leader = cluster.leader
        sides = begin_writing(cluster, leader)
        probe = PromotionProbe.new((cluster.nodes - [leader]).to_h { |node| [node, node.uri] })
        fail_over(cluster, leader, failure)
        promoted, promoted_at = probe.await
        sleep AFTERWARDS
        bring_back(cluster, leader, failure)
        sleep AFTERWARDS
        sides.transform_values { |side| side.call(:finish, uri: promoted.uri, promoted_at: promoted_at) }
      ensure
        probe&.stop
        sides&.each_value(&:close)
      end

      def begin_writing(cluster, leader)
        SIDES.each_value { |side| leader.psql("DROP TABLE IF EXISTS tokens_of_#{side}; CREATE TABLE tokens_of_#{side} (token text)") }
        cluster.await_members
        sides = SIDES.to_h do |name, side|
          [name, Isolated.new("failover_writes", side: side, hosts: cluster.hosts, table: "tokens_of_#{side}", writers: WRITERS)]
        end
        sleep 0.1 until sides.values.all? { |side| side.call(:count) >= ENOUGH }
        sides
      end

      def fail_over(cluster, leader, failure)
        case failure
        when "switchover" then cluster.switchover
        when "killed" then cluster.kill(leader)
        when "frozen" then cluster.freeze_node(leader)
        end
      end

      def bring_back(cluster, leader, failure)
        cluster.restart(leader) if failure == "killed"
        cluster.resume(leader) if failure == "frozen"
        cluster.await_members
      end

      def table(replication, found)
        rows = found.flat_map { |failure, sides| sides.map { |side, one| [failure, side, *cells(one)] } }
        Table.new(HEADERS, rows, title: "#{WRITERS} writers of each side, #{replication} replication")
      end

      def cells(one)
        [one[:gap].round(2), one[:resumed] ? (one[:resumed] * 1000).round : "-", *one.values_at(:acknowledged, :errors, :indeterminate, :lost, :lost_later, :doubled)]
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(results)
        ours = results.flat_map { |replication, found| found.map { |failure, sides| [replication, failure, sides.fetch(SIDES.keys.first)] } }
        synchronous = ours.select { |replication,| replication == "synchronous" }.map(&:last)
        [figure("Trunkline, errors", ours.sum { |*, one| one[:errors] }, "0"), figure("Trunkline, doubled", ours.sum { |*, one| one[:doubled] }, "0"),
         figure("Trunkline, synchronous, lost", synchronous.sum { |one| one[:lost] }, "0"),
         figure("Trunkline, synchronous switchover, 95 % went on after ms", synchronous.first[:resumed] * 1000, "<= 250")]
      end

      def versions
        patroni, etcd = PatroniCluster.versions
        { **Versions.all, "postgresql" => @version, "patroni" => patroni, "etcd" => etcd, "rails" => Gem.loaded_specs["activerecord"]&.version.to_s }.reject { |_, version| version.empty? }
      end
    end
  end
end

Trunkline::Bench::Failover.main(runs: nil)
