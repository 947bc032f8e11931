# frozen_string_literal: true

require "test_helper"
require "support/eventually"
require_relative "../../../bench/support/failover_load"
require_relative "../../../bench/support/servers/postgres_binaries"

HOSTS, CABLE, *LOCAL = ARGV.shift(4)

# A primary whose packets vanish while it lives on, beside a standby that is promoted: see server_side.rb.
class DroppedPacketsTest < Minitest::Test
  include Eventually

  SERVERS_NETWORK = Process.ppid.to_s
  WRITERS = 10
  ENOUGH = 100
  # What is asked through the file system, whichever network is cut.
  Server = Struct.new(:uri) do
    def psql(sql)
      IO.popen([Trunkline::Bench::PostgresBinaries.path("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", uri, "-c", sql], &:read).tap { raise "psql has failed" unless $?.success? }
    end
  end
  private_constant :SERVERS_NETWORK, :WRITERS, :ENOUGH, :Server

  def setup
    @primary, @standby = LOCAL.map { |uri| Server.new(uri) }
  end

  def teardown = cable("up")

  def cable(state) = system("nsenter", "-t", SERVERS_NETWORK, "-n", "ip", "link", "set", CABLE, state, exception: true)

  # The call itself takes no longer than the next host does, whatever its deadline.
  def test_the_first_host_drops_packets_from_the_beginning
    cable("down")
    with_client(target_session_attrs: "any") do |db|
      began = now
      assert_equal 1, db.value("SELECT 1", deadline: 30)
      report("the first call took %.2f s", now - began)
    end
  end

  # The old primary comes back as a second one, and nothing is written there.
  def test_a_primary_that_is_cut_off
    @primary.psql("CREATE TABLE tokens (token text)")
    with_client(target_session_attrs: "read-write") do |db|
      load = Trunkline::Bench::FailoverLoad.over(db, WRITERS, pause: 0.02)
      go_on(load, since: 0)
      cable("down")
      cut_off = now
      replayed
      @standby.psql("SELECT pg_promote()")
      promoted = now
      go_on(load)
      cable("up")
      go_on(load)
      load.finish
      figures = load.compared_with(@standby)
      assert_equal [0, 0, 0, WRITERS], [*figures.values_at(:errors, :doubled), load.lost_after(promoted), load.resumed_after(promoted).size], figures.inspect
      went_on = load.resumed_after(promoted)
      report("writes went on %.2f s (first writer) and %.2f s (last) after the promotion, which came %.2f s after the packets vanished; #{figures}", went_on.first,
             went_on.last, promoted - cut_off)
    end
  end

  private

  def with_client(**options, &block)
    Trunkline.postgres("postgresql://postgres@#{HOSTS}/postgres", connections: 2, failover_wait: 60, **options, &block)
  end

  def go_on(load, **since)
    assert load.await(ENOUGH, timeout: 60, **since), -> { load.whereabouts }
  end

  # The servers reach each other still.
  def replayed
    written = @primary.psql("SELECT pg_current_wal_insert_lsn()").chomp
    assert eventually { @standby.psql("SELECT pg_last_wal_replay_lsn() >= '#{written}'") == "t\n" }
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def report(format, *numbers) = puts(Kernel.format(format, *numbers))
end
