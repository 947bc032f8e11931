# frozen_string_literal: true

# Web servers whose actions query by ActiveRecord, on the stock adapter and on Trunkline's: the table of async-postgres's README with
# today's versions, and what web applications do besides waiting.

require_relative "support/bench"
require_relative "support/active_record_sides"
require_relative "support/report"
require_relative "support/warmed_load"

module Trunkline
  module Bench
    # Each action on each server, with few clients and with many. Both adapters run beside each other, and are measured in turns.
    class Falcon < Experiment
      ACTIONS = {
        "sleep" => "ten queries of 10 ms each, during which the database waits", "find" => "ten records by primary key",
        "page" => "five records, what belongs to one of them, and a count",
        "mixed" => "two requests by Net::HTTP to a server that takes 5 ms, and four records"
      }.freeze
      CLIENTS = [64, 512].freeze
      # The servers of all actions but the one that waits, for which alone Puma would have more threads.
      USUAL = ["Falcon", "Puma 16 threads"].freeze
      FEW = 8             # connections that ours may open
      MANY = 512          # the same for the action that waits
      WARM_UP = 2         # seconds; again, until there was an answer for each client, as many connections take their time to open
      HEADERS = ["server", "requests/s", "median ms", "p99 ms", "errors", "connections", "private MB", "CPU us", "against pg"].freeze
      PAGE = File.join(Results::FOLDER, "falcon.html")

      # @param options [Options] whose arguments are names of ACTIONS; none: all
      def initialize(options)
        @actions = options.arguments.empty? ? ACTIONS.keys : options.arguments
        unknown = @actions - ACTIONS.keys
        abort "there is no action of the name #{unknown.join(", ")}; there are: #{ACTIONS.keys.join(", ")}" if unknown.any?
        super
        @sides = ActiveRecordSides.new(@server)
        @loads = CLIENTS.to_h { |clients| [clients, WarmedLoad.new(@server, clients: clients, runs: options.runs, seconds: options.numbers[:seconds], warm_up: WARM_UP)] }
      end

      def run
        results = @actions.to_h { |action| [action, measure(action)] }
        tables = results.flat_map { |action, sides| CLIENTS.map { |clients| table(action, clients, sides) } }
        publish(tables, { actions: results }, figures: figures(results))
        warn "Charts: #{write_page(tables)}"
      end

      private

      def settings = { "max_connections" => "1200", "shared_buffers" => "256MB" }

      # @return [Hash{String => Hash{Integer => Hash}}] by side and number of clients
      def measure(action)
        servers, most = action == "sleep" ? [ActiveRecordSides::SERVERS.keys, MANY] : [USUAL, FEW]
        answers = []
        found = @sides.each(servers, most: most) do |sides|
          warn "#{action}: #{sides.keys.join("; ")}"
          answers.concat(sides.values.map { |side| side.web.get("/#{action}").body })
          by_clients = @loads.transform_values { |load| load.of(sides, "/#{action}") }
          sides.keys.to_h { |name| [name, by_clients.transform_values { |runs| runs.fetch(name) }] }
        end
        answers.uniq.one? ? found.reduce(:merge) : raise("the sides do not answer the same: #{answers.uniq}")
      end

      def table(action, clients, sides)
        rows = sides.map { |name, by_clients| [name, *row(by_clients[clients]), against(sides, name, clients)] }
        Table.new(HEADERS, rows, title: "#{clients} clients: #{ACTIONS.fetch(action)}", drawn: "requests/s")
      end

      def row(one)
        [one[:rate].round, one[:median].round(1), one[:p99].round(1), one[:errors], one[:connections], one[:memory]&.round,
         one[:cpu_each] && (one[:cpu_each] * 1e6).round]
      end

      def against(sides, name, clients)
        stock = name.sub(/, .*/, ", pg")
        name == stock ? "" : format("%.2f", ratio(sides, stock, name, clients, :rate))
      end

      def ratio(sides, stock, ours, clients, what)
        sides.dig(ours, clients, what).to_f / sides.dig(stock, clients, what)
      end

      def falcon(sides, clients, what) = ratio(sides, "Falcon, pg", "Falcon, Trunkline", clients, what)
      def puma(sides, clients, what) = ratio(sides, "Puma 16 threads, pg", "Puma 16 threads, Trunkline", clients, what)

      def figures(results)
        errors = results.values.flat_map(&:values).flat_map(&:values).sum { |one| one[:errors] }
        [*finds(results["find"]), *sleeps(results["sleep"]), figure("socket errors", errors, "0")]
      end

      def finds(sides)
        return [] unless sides

        [
          figure("Falcon, find, 64 clients: requests a second against pg", falcon(sides, 64, :rate), ">= 1.15"),
          figure("Falcon, find, 512 clients: the same", falcon(sides, 512, :rate), ">= 1.4"),
          figure("Falcon, find: connections", sides["Falcon, Trunkline"].values.map { |one| one[:connections] }.max, "<= 8"),
          *memory(sides),
          figure("Falcon, find, 64 clients: CPU of a request against pg", falcon(sides, 64, :cpu_each), "<= 1"),
          figure("Puma 16 threads, find, 64 clients: requests a second against pg", puma(sides, 64, :rate), ">= 1.1")
        ]
      end

      def memory(sides)
        return [] unless sides.dig("Falcon, pg", 64, :memory)

        { 64 => "<= 0.2", 512 => "<= 0.05" }.map do |clients, bound|
          figure("Falcon, find, #{clients} clients: backends' private memory against pg", falcon(sides, clients, :memory), bound)
        end
      end

      def sleeps(sides)
        sides ? [figure("Falcon, waiting queries, 512 clients: requests a second against pg", falcon(sides, 512, :rate), ">= 1.1")] : []
      end

      # @return [String] the page's path
      def write_page(tables)
        tables.each_with_object(Report.new("ActiveRecord under web servers")) { |table, report| report.table(table) }
              .write(PAGE, footer: Versions.line(@server))
      end
    end
  end
end

Trunkline::Bench::Falcon.main(banner: "Usage: bin/bench falcon [ACTION...] [options]", numbers: { seconds: [4, "length of each measurement"] })
