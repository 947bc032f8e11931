# frozen_string_literal: true

require "test_helper"
require "support/server_pair"
require_relative "../../bench/support/failover_load"

module Trunkline
  # A primary that is killed under load, with synchronous replication: nothing acknowledged is lost, nothing is written twice, and what was not
  # sent waits for the promoted standby. TRUNKLINE_FAILOVER_REPORT=1 prints the figures.
  class FailoverHistoryTest < TestCase
    include ServerPair

    WRITERS = 16
    # Writes that are acknowledged before and after.
    ENOUGH = 200
    PATIENCE = 60 # seconds for these
    private_constant :WRITERS, :ENOUGH, :PATIENCE

    def test_a_primary_that_is_killed
      with_pair do |primary, standby|
        primary.psql("CREATE TABLE tokens (token text)")
        primary.psql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.psql("SELECT pg_reload_conf()")
        assert eventually { primary.psql("SELECT sync_state FROM pg_stat_replication") == "sync\n" }
        gap, figures = killed_under_load(primary, standby)
        assert_equal({ errors: 0, lost: 0, doubled: 0 }, figures.slice(:errors, :lost, :doubled), figures.inspect)
        report(gap, figures)
      end
    end

    private

    def killed_under_load(primary, standby)
      Trunkline.postgres(hosts_uri(primary, standby, target_session_attrs: "read-write"), options: "-c synchronous_commit=on", failover_wait: 60) do |db|
        load = Bench::FailoverLoad.over(db, WRITERS)
        assert load.await(ENOUGH, timeout: PATIENCE, since: 0)
        Process.kill("KILL", primary.pid)
        assert eventually { db.stats[:open].zero? }
        standby.psql("SELECT pg_promote()")
        gap = time_until(load, 1)
        time_until(load, ENOUGH)
        load.finish
        [gap, load.compared_with(standby)]
      end
    end

    # @return [Float] seconds
    def time_until(load, writes)
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      assert load.await(writes, timeout: PATIENCE), -> { load.whereabouts }
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
    end

    def report(gap, figures)
      puts format("writes resumed %<gap>.2f s after the promotion; %<figures>s", gap: gap, figures: figures) if ENV["TRUNKLINE_FAILOVER_REPORT"]
    end
  end
end
