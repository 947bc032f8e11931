# frozen_string_literal: true

require "test_helper"
require "support/private_servers"
require "support/eventually"
require_relative "../../bench/support/fleet_load"

# Processes that share a server's connections: real ones. What they ask takes the server long and no processor, so that the number of connections
# decides what a process is answered.
class FleetTest < Trunkline::TestCase
  include Eventually

  PROCESSES = 20
  SETTINGS = Trunkline::Bench::FleetLoad::SETTINGS
  # Of what is left for users, the tenth that first connections and others have.
  ALL = ((SETTINGS["max_connections"] - SETTINGS["superuser_reserved_connections"]) * 0.9).floor
  # What a server takes that others fill.
  FEW = 30
  # Seconds until a test gives up. It takes 1 to 10 to have the shares (bin/bench fleet measures them), and over 13 on a machine whose processors others use.
  LONGEST = 300
  MEASURED = 10
  # Seconds for an answer: with the 20 ms of bin/bench fleet the processes compute all the time. These tests take 58 s of a processor with 60 ms, 46 s with this.
  WAIT = 0.3
  private_constant :PROCESSES, :SETTINGS, :ALL, :FEW, :LONGEST, :MEASURED, :WAIT

  # The table of bin/bench fleet.
  def test_twenty_processes_share_a_hundred_connections
    with_load(kind: "transactions", connections: 8, max_connections: 16, fleet: true) do |load|
      load.add(PROCESSES)
      load.await_shares(ALL / PROCESSES)
      measured = nil
      assert((1..5).any? { fair?(measured = load.measure(MEASURED)) }, -> { measured.inspect })
      load.restart
      assert_equal PROCESSES, load.size
      half = PROCESSES / 2
      load.remove(half)
      load.await_shares(ALL / half)
      load.add(half)
      load.await_shares(ALL / PROCESSES)
    end
  end

  # Nothing is left behind that counts: those that are there have more again.
  def test_a_number_of_connections_for_all
    with_load(kind: "queries", connections: 8, max_connections: 8, fleet: 12) do |load, server|
      load.add(2)
      load.await_shares(6)
      load.add(2)
      load.await_shares(3)
      load.remove(3)
      load.await_shares(8)
      assert_equal 1, processes(server)
    end
  end

  # A server that others have filled: what there is goes on, and no caller hears of it.
  def test_a_server_that_takes_no_more
    with_load(settings: { "max_connections" => FEW }, kind: "transactions", connections: 8, max_connections: 8, fleet: true) do |load, server, uri|
      load.add(1)
      load.await_shares(8)
      others = fill(uri)
      load.add(1) # which has none
      assert eventually { load.open.first <= 7 } # the first of those that are replaced is another's
      others.each(&:close)
      assert eventually { load.look.all? { |seen| seen[:answered].positive? } && processes(server) == 2 }
      load.await_shares(8)
    ensure
      others&.each { |other| other.close unless other.finished? }
    end
  end

  def test_what_is_no_number_of_connections
    ["many", -1, 1.5].each { |fleet| assert_match(/fleet must be true, or a number/, assert_raises(Trunkline::ConfigError) { Trunkline.postgres(fleet: fleet) }.message) }
    assert_match(/do not go together/, assert_raises(ArgumentError) { Trunkline.postgres("postgres://h/d", fleet: true, group_commit: true) }.message)
    assert_nil Trunkline::Config.new("postgres://h/d?fleet=false").fleet
    assert_equal [40, true], [40, true].map { |fleet| Trunkline::Config.new("postgres://h/d?fleet=#{fleet}").fleet }
  end

  private

  # On a busy machine one may get no processor for seconds, or have one connection less for a while: it is measured again where it is not so.
  #
  # @return [Boolean] whether the process with the fewest answers has not much fewer than the others
  def fair?(measured)
    assert_equal 0, measured[:refused], measured.inspect
    measured[:answered].first >= measured[:answered][PROCESSES / 2] * 0.8
  end

  # No caller gets an error in it.
  #
  # @yieldparam load [Trunkline::Bench::FleetLoad]
  # @yieldparam server [Trunkline::Bench::PostgresServer]
  # @yieldparam uri [String] of a role that has no connections reserved
  def with_load(settings: {}, **options)
    with_server(settings: { **SETTINGS, **settings }) do |server|
      load = Trunkline::Bench::FleetLoad.new(server, longest: LONGEST, wait: WAIT, **options)
      yield load, server, load.uri
      assert_empty load.all_errors
    ensure
      load&.close
    end
  end

  # With all that the server takes: a connection that has just been replaced may still be counted, so their number differs.
  #
  # @return [Array<PG::Connection>]
  def fill(uri)
    others = []
    loop { others << PG.connect(uri) }
  rescue PG::ConnectionBad
    others
  end

  def processes(server) = server.psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = '#{Trunkline::Bench::FleetLoad::NAME}'").to_i
end
