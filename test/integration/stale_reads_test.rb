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

    # Elsewhere such a caller finds no row, and tries again after a second.
    def test_what_each_of_many_callers_inserts_is_there_at_once
      with_replicas(connections: 4) do |db, primary, standbys|
        db.query("CREATE TABLE inserted (id bigint)")
        standbys.each { |standby| replayed(primary, standby) }
        callers = Array.new(25) do |caller|
          Thread.new { Array.new(5) { |number| inserted(db, (caller * 100) + number) } }
        end
        assert_equal [true], callers.flat_map(&:value).uniq
      ensure
        primary.psql("DROP TABLE IF EXISTS inserted")
      end
    end

    private

    # @return [Boolean] whether the caller finds the row that it has inserted
    def inserted(db, id)
      db.query("INSERT INTO inserted VALUES ($1)", id)
      db.replica(after: db.position).query("SELECT id FROM inserted WHERE id = $1", id).rows == [[id]]
    end
  end
end
