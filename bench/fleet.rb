# frozen_string_literal: true

# Twenty processes, each of which may open 16 connections, against a server that takes 100: with fleet: true and without. How many answers each process gets,
# which errors its callers get from a full server, and whether another program can connect; then processes that come, go and are replaced.

require_relative "support/bench"
require_relative "support/fleet_load"

module Trunkline
  module Bench
    # Each process is a real one, with 16 fibers that wait on the server for 20 ms each.
    class Fleet < Experiment
      PROCESSES = 20
      SECONDS = 10 # from the beginning of the processes on
      SIDES = { "fleet: true" => { fleet: true }, "without" => {} }.freeze
      SHARED = SIDES.keys.first
      KINDS = %w[transactions queries].freeze
      # Of the connections that users may have, a tenth is left alone.
      ALL = ((FleetLoad::SETTINGS["max_connections"] - FleetLoad::SETTINGS["superuser_reserved_connections"]) * 0.9).floor
      HEADERS = ["", "", "a second", "least of the median", "errors after 2 s", "processes with errors", "connections", "others refused"].freeze
      private_constant :PROCESSES, :SECONDS, :SIDES, :SHARED, :KINDS, :ALL, :HEADERS

      def run
        found = KINDS.to_h { |kind| [kind, SIDES.transform_values { |options| measure(kind, options) }] }
        followed = follow
        publish([table(found), followed_table(followed)], { found: found, followed: followed }, figures: figures(found, followed))
      end

      private

      def settings = FleetLoad::SETTINGS

      def measure(kind, options)
        load = FleetLoad.new(@server, kind: kind, connections: 8, max_connections: 16, **options)
        load.add(PROCESSES)
        measured = load.measure(SECONDS)
        { **measured, errors: load.errors.size, failing: load.failing }
      ensure
        load&.close
      end

      # @return [Hash{Symbol => Numeric}] seconds until shares had followed processes that came and went, the longest wait in seconds in a restart of
      #   all, and errors in all that
      def follow
        load = FleetLoad.new(@server, kind: "transactions", connections: 8, max_connections: 16, fleet: true)
        load.add(PROCESSES / 2)
        load.await_shares(share(PROCESSES / 2))
        load.add(PROCESSES / 2)
        more = load.await_shares(share(PROCESSES))
        longest = load.restart
        load.remove(PROCESSES / 2)
        { more: more, longest: longest, fewer: load.await_shares(share(PROCESSES / 2)), errors: load.errors.size }
      ensure
        load&.close
      end

      def share(processes) = ALL / processes

      def table(found)
        rows = found.flat_map { |kind, sides| sides.map { |side, one| [kind, side, *cells(one)] } }
        Table.new(HEADERS, rows, title: "#{PROCESSES} processes that begin together, in their first #{SECONDS} s")
      end

      def cells(one)
        [(one[:answered].sum / SECONDS.to_f).round, format("%.2f", least(one)), *one.values_at(:errors, :failing, :open), "#{one[:refused]}/#{one[:asked]}"]
      end

      def least(one) = one[:answered].first / one[:answered][PROCESSES / 2].to_f

      def followed_table(followed)
        half = PROCESSES / 2
        rows = [["#{half} more come: each has its share after", "#{format("%.1f", followed[:more])} s"], ["#{half} end: the others have theirs after", "#{format("%.1f", followed[:fewer])} s"],
                ["all are replaced, one by one: longest wait of a caller", "#{format("%.2f", followed[:longest])} s"], ["errors in all that", followed[:errors]]]
        Table.new(["", ""], rows, title: "Processes that come and go")
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(found, followed)
        ours = found.transform_values { |sides| sides.fetch(SHARED) }
        [*ours.map { |kind, one| figure("#{kind}: least of the median of the processes", least(one), ">= 0.8") },
         figure("errors", ours.values.sum { |one| one[:errors] } + followed[:errors], "0"),
         figure("others refused", ours.values.sum { |one| one[:refused] }, "0"),
         figure("seconds until shares have followed", [followed[:more], followed[:fewer]].max, "<= 30")]
      end
    end
  end
end

Trunkline::Bench::Fleet.main(runs: nil)
