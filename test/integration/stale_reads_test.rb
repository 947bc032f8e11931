# frozen_string_literal: true

require "test_helper"
require "support/replica_servers"
require_relative "../../bench/support/stale_reads"

module Trunkline
  # A short form of rake stale_reads.
  class StaleReadsTest < TestCase
    include ReplicaServers

    READS = 300
    private_constant :READS

    def test_reads_after_a_position_are_never_stale_and_others_are
      with_replicas(connections: 4) do |db, primary, standbys|
        found = Bench::StaleReads.new(primary, standbys, seed: Minitest.seed).run(db, READS, by_standbys: READS / 10)
        assert_equal 0, found[:stale], found
        assert_operator found[:stale_without], :>, 0, found
        assert_operator found[:reads], :>=, READS
      ensure
        primary.psql("DROP TABLE IF EXISTS counters")
      end
    end
  end
end
