# frozen_string_literal: true

# Rage over ActiveRecord, on Trunkline's adapter and on the stock one with several pools: the tables of Rage's README (an answer without a query, a record by
# its primary key, and a hundred requests that wait for another server), and requests that wait for the database.

require_relative "support/bench"
require_relative "support/backends"
require_relative "support/rage_sides"
require_relative "support/warmed_load"

module Trunkline
  module Bench
    # Each side in a process of its own; one action after the other is requested of them, in turns.
    class Rage < Experiment
      ACTIONS = { "/json" => "without a query", "/find" => "a record by its primary key", "/sleep" => "the database waits for 10 ms" }.freeze
      CLIENTS = 64
      AT_ONCE = 100   # requests that another server keeps waiting, as in Rage's README
      HEADERS = ["side", "requests/s", "CPU us", "median ms", "p99 ms", "errors", "connections"].freeze
      SLOW_HEADERS = ["side", "seconds for all", "errors", "connections"].freeze
      private_constant :ACTIONS, :CLIENTS, :AT_ONCE, :HEADERS, :SLOW_HEADERS

      # @param options [Options]
      def initialize(options)
        super
        @sides = RageSides.new(@server)
        @load = WarmedLoad.new(@server, clients: CLIENTS, runs: options.runs, seconds: options.numbers[:seconds])
      end

      def run
        load = load_average
        found = measure
        tables = ACTIONS.keys.map { |path| table(path, found) } << slow_table(found)
        publish(tables, { sides: found }, figures: [*figures(found), figure("the machine's load average before", load)])
      end

      private

      def settings = { "max_connections" => "400" }

      def versions = { **super, **@sides.versions }

      # @return [Hash{String => Hash{String => Hash}}] by side and path
      def measure
        @sides.together do |sides|
          actions = { **ACTIONS.keys.to_h { |path| [path, @load.of(sides, path)] }, "/slow" => sides.transform_values { |side| at_once(side) } }
          sides.keys.to_h { |name| [name, actions.transform_values { |found| found.fetch(name) }] }
        end
      end

      def at_once(side)
        begun = Measure.now
        codes = Array.new(AT_ONCE) { Thread.new { side.web.get("/slow").code } }.map(&:value)
        { seconds: Measure.now - begun, errors: codes.size - codes.count("200"), **Backends.of(@server, side.application) }
      end

      def table(path, found)
        rows = found.map do |name, paths|
          one = paths.fetch(path)
          [name, one[:rate].round, one[:cpu_each] && (one[:cpu_each] * 1e6).round, one[:median].round(1), one[:p99].round(1), one[:errors], one[:connections]]
        end
        Table.new(HEADERS, rows, title: "#{CLIENTS} clients: #{ACTIONS.fetch(path)}", drawn: "requests/s")
      end

      def slow_table(found)
        rows = found.map { |name, paths| paths["/slow"].then { |slow| [name, slow[:seconds].round(2), slow[:errors], slow[:connections]] } }
        Table.new(SLOW_HEADERS, rows, title: "#{AT_ONCE} requests at once: a record, another server's answer after a second, another record")
      end

      def figures(found)
        ours, stock = found.partition { |name, _| name == "Trunkline" }.map { |sides| sides.map(&:last) }
        errors = ours.first.values.sum { |one| one[:errors] }
        [*%w[/find /sleep].map { |path| figure("#{path.delete("/")}: requests a second against the stock adapter's best", against(ours, stock, path)) },
         figure("find: CPU of a request against the stock adapter's least", least_cpu(ours, "/find") / least_cpu(stock, "/find"), "<= 1"),
         figure("errors", errors, "0")]
      end

      def against(ours, stock, path) = ours.first[path][:rate] / stock.map { |paths| paths[path][:rate] }.max
      def least_cpu(sides, path) = sides.filter_map { |paths| paths[path][:cpu_each] }.min || Float::NAN
    end
  end
end

Trunkline::Bench::Rage.main(numbers: { seconds: [2, "length of each measurement"] })
