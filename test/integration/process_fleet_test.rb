# frozen_string_literal: true

require "test_helper"
require "support/leeway"
require "support/private_servers"
require_relative "../../bench/support/process_fleet"

# Processes that serve one request at a time: what each of the ways to set the client up occupies at a server. The table of bin/bench processes, with
# fewer processes.
class ProcessFleetTest < Trunkline::TestCase
  include Leeway

  PROCESSES = 4
  WORKED = 0.5 # seconds
  TRIES = 5
  SMALLEST = "the same, idle_session_timeout"
  # Connections of a process while it works.
  CONNECTIONS = { "connections: 1, max_connections: 2" => 2, "max_connections: 1" => 1, "fleet: true" => 2, "fleet: true, max_connections: 1" => 1,
                  SMALLEST => 1, "pg, a connection each" => 1 }.freeze
  private_constant :PROCESSES, :WORKED, :TRIES, :SMALLEST, :CONNECTIONS

  # Idle processes keep what they have, unless the server ends it; then the next request opens another connection, without an error.
  def test_what_processes_occupy
    with_filled_server do |server|
      sides = CONNECTIONS.keys - (server.version < 14 ? [SMALLEST] : [])
      found = with_few_counts { sides.to_h { |side| [side, measure(server, side)] } }
      assert_empty(found.values.flat_map { |one| one[:errors] })
      assert_equal CONNECTIONS.slice(*sides).transform_values { |each| each * PROCESSES }, found.transform_values { |one| one[:connections] }
      left = CONNECTIONS.slice(*sides).to_h { |side, each| [side, side == SMALLEST ? 0 : each * PROCESSES] }
      assert_equal left, found.transform_values { |one| one[:left] }
    end
  end

  # With fleet: true the first caller of a process waits for a connection to end; without, it gets the server's error at once.
  def test_a_process_that_begins_while_others_have_all_connections
    with_filled_server do |server|
      assert_nil(with_fleet(server, "fleet: true, max_connections: 1", 1) { |fleet| fleet.first_wait(freed_after: 1) }[:error])
      assert_match(/TooManyConnections|53300/, with_fleet(server, "max_connections: 1", 1, &:first_wait)[:error])
    end
  end

  private

  def with_filled_server
    with_server(settings: { **Trunkline::Bench::ProcessFleet::SETTINGS, "max_connections" => 20 }) do |server|
      Trunkline::Bench::ProcessFleet.fill(server)
      yield server
    end
  end

  # The connection that makes a process count the others is replaced for the next count: it would be missing while connections are counted here.
  def with_few_counts(&block) = with_seconds(:Fleet, :COUNTED_AFTER, 60.0..60.0, within: Trunkline::Postgres, &block)

  # Connections are counted at one moment: a busy machine may stop a process for so long that the server has ended its idle connection, which it has not
  # replaced yet. Then all is tried again, unless a caller was told an error.
  def measure(server, side)
    found = nil
    TRIES.times do
      found = with_fleet(server, side, PROCESSES) { |fleet| fleet.measure(WORKED) }
      break if found[:errors].any? || found[:connections] >= PROCESSES * CONNECTIONS.fetch(side)
    end
    found
  end

  def with_fleet(server, side, processes)
    fleet = Trunkline::Bench::ProcessFleet.new(server, side, processes)
    yield fleet
  ensure
    fleet&.close
  end
end
