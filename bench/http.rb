# frozen_string_literal: true

# A web request that runs one long query and then many short ones: a server on EventMachine that stops for each, and the same
# in fibers; and Falcon.

require_relative "support/bench"
require_relative "support/web_load"
require_relative "support/web_sides"

module Trunkline
  module Bench
    # Each server asked by the same clients, in turn.
    class Http < AccountsExperiment
      BLOCKING = "Thin, pg"
      FIBERS = "Thin, Trunkline in fibers"
      SIDES = [BLOCKING, FIBERS, "Falcon, Trunkline"].freeze
      KINDS = { "/waiting" => "waits", "/working" => "uses the server's processor" }.freeze
      ROWS = 10_000
      CLIENTS = 16
      CONNECTIONS = 8
      SECONDS = 5

      def run
        tables = KINDS.to_h { |path, kind| [kind, results(path)] }
        publish(tables.map { |kind, results| table(kind, results) }, tables, figures: figures(tables))
      end

      private

      def results(path)
        answers = {}
        results = WebSides.new(@server, connections: CONNECTIONS, only: SIDES).each do |name, web|
          answers[name] = web.get(path).body
          measure(web, path)
        end
        Comparison.agree(answers)
        results
      end

      def measure(web, path)
        WebLoad.closed(web, path, clients: CLIENTS, seconds: 2)
        Measure.medians(Array.new(@options.runs) { WebLoad.closed(web, path, clients: CLIENTS, seconds: SECONDS) })
      end

      def table(kind, results)
        blocking = results.fetch(BLOCKING)[:rate]
        rows = results.map do |name, one|
          [name, one[:rate].round, one[:latency].round, one[:errors], format("%.2f", one[:rate] / blocking)]
        end
        Table.new(["server", "requests/s", "latency ms", "errors", "against blocking"], rows,
                  title: "#{CLIENTS} clients; a query of 10 ms that #{kind} and 20 short ones a request", drawn: "requests/s")
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(tables)
        tables.map do |kind, results|
          figure("Thin in fibers, a long query that #{kind}, requests/s: Thin with pg", results[FIBERS][:rate] / results[BLOCKING][:rate], ">= 1.6")
        end
      end
    end
  end
end

Trunkline::Bench::Http.main(runs: 3)
