# frozen_string_literal: true

# Twenty processes that serve one request at a time, a query and a transaction in turn: what they occupy on the server with each configuration of the
# client, and with the pg gem; what is open when all were idle; and which error a process gets when the server has no connection left.

require_relative "support/bench"
require_relative "support/process_fleet"

module Trunkline
  module Bench
    # All processes are real ones, and ask as fast as they can. Linux only: elsewhere the memory of a process is not told.
    class Processes < Experiment
      PROCESSES = 20
      SECONDS = 4
      FREED_AFTER = 3 # seconds
      FLEET, SMALLEST = ProcessFleet::SIDES.keys.values_at(3, 4)
      ONE = "max_connections: 1"
      HEADERS = ["", "connections", "MB of the server's processes", "KB a connection", "requests a second", "client us", "server us", "errors",
                 "connections after #{ProcessFleet::IDLE} s without a request", "ms of the longest query after that"].freeze
      private_constant :PROCESSES, :SECONDS, :FREED_AFTER, :FLEET, :SMALLEST, :ONE, :HEADERS

      def run
        load = load_average
        found = sides.to_h { |side| [side, []] }
        @options.runs.times { found.each { |side, runs| runs << measure(side) } }
        medians = found.transform_values { |runs| median(runs) }
        full = [FLEET, ONE].to_h { |side| [side, { never: first_wait(side), freed: first_wait(side, freed_after: FREED_AFTER) }] }
        publish([table(medians), full_table(full)], { found: medians, full: full }, figures: figures(medians, full, load))
      end

      private

      def settings = ProcessFleet::SETTINGS

      def fill = ProcessFleet.fill(@server)

      def sides = ProcessFleet::SIDES.keys - (@server.version < 14 ? [SMALLEST] : [])

      def measure(side)
        fleet = ProcessFleet.new(@server, side, PROCESSES)
        fleet.measure(SECONDS)
      ensure
        fleet&.close
      end

      # A count is an error in any of the runs.
      def median(runs)
        numbers = runs.map { |run| run.merge(errors: run[:errors].size) }
        { **Measure.medians(numbers), errors: numbers.sum { |run| run[:errors] } }
      end

      def first_wait(side, **options)
        fleet = ProcessFleet.new(@server, side, 1)
        fleet.first_wait(**options)
      ensure
        fleet&.close
      end

      def table(medians)
        rows = medians.map { |side, one| [side, one[:connections].to_i, *cells(one), one[:errors], one[:left].to_i, format("%.1f", one[:again] * 1000)] }
        Table.new(HEADERS, rows, title: "#{PROCESSES} processes that serve one request at a time", drawn: HEADERS[2])
      end

      def cells(one) = [format("%.1f", one[:memory]), kilobytes(one).round, one[:a_second].round, one[:client_us].round, one[:server_us].round]

      def kilobytes(one) = one[:memory] * 1024 / one[:connections]

      def full_table(full)
        rows = full.flat_map { |side, waits| [[side, "none", *told(waits[:never])], [side, "one after #{FREED_AFTER} s", *told(waits[:freed])]] }
        Table.new(["", "connections that end", "the first caller's wait", "and its error"], rows, title: "A process that begins while others have all connections")
      end

      def told(wait) = ["#{format("%.1f", wait[:seconds])} s", wait[:error]&.slice(/\A\w+(?:::\w+)*/) || "none"]

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(medians, full, load)
        smallest = medians.values_at(FLEET, SMALLEST).compact
        [figure("fleet: true, max_connections: 1: connections a process", smallest.map { |one| one[:connections] }.max / PROCESSES.to_f, "1"),
         figure("errors", medians.values.sum { |one| one[:errors] }, "0"),
         *medians.values_at(SMALLEST).compact.map { |one| figure("idle_session_timeout: connections when all were idle", one[:left], "0") },
         figure("memory of a connection, KB: fleet: true, max_connections: 1 less max_connections: 1", kilobytes(medians[FLEET]) - kilobytes(medians[ONE])),
         figure("seconds that a connection's end at a full server was waited for, and its query", full[FLEET][:freed][:seconds]),
         figure("the machine's load average before", load)]
      end
    end
  end
end

Trunkline::Bench::Processes.main
