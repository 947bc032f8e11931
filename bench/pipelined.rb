# frozen_string_literal: true

# A web action that waits a tenth of a second for the database: requests a second and mean latency by the number of clients,
# and latency by the requests that come each second.

require_relative "support/bench"
require_relative "support/report"
require_relative "support/web_load"
require_relative "support/web_sides"

module Trunkline
  module Bench
    # One server after the other; each is warmed up with as many clients as it will see.
    class Pipelined < Experiment
      CLIENTS = [1, 8, 32, 64, 128, 256].freeze
      RATES = [5, 10, 20, 50, 100, 200, 500, 1000].freeze
      CONNECTIONS = 300
      SECONDS = 4
      OPEN_SECONDS = 3
      ACTION = 0.102 # seconds: what an action takes without delays
      THIN = "Thin, Trunkline in fibers"
      FALCON = "Falcon, Trunkline"
      BY_CLIENTS = "Requests a second by clients"
      BY_RATE = "Mean latency by requests that come"

      def run
        results = WebSides.new(@server, connections: CONNECTIONS).each { |name, web| measure(name, web) }
        publish([rates(results), latencies(results), offered(results)], { sides: results }, figures: figures(results), curves: charts(results))
        warn "Charts: #{write_page(charts(results))}"
      end

      private

      def settings = { "max_connections" => "700" }

      def measure(name, web)
        warn name
        body = web.get("/wait").body
        raise "#{name} answers #{body.inspect}" unless body == "waited"

        settled(web) { WebLoad.closed(web, "/wait", clients: CLIENTS.last, seconds: 2) }
        { closed: CLIENTS.to_h { |clients| [clients, settled(web) { WebLoad.closed(web, "/wait", clients: clients, seconds: SECONDS) }] },
          open: offer(web) }
      end

      # A server that cannot answer all requests at one rate is not measured at the next.
      def offer(web)
        RATES.each_with_object({}) do |rate, results|
          results[rate] = settled(web) { WebLoad.open(web, "/wait", rate: rate, seconds: OPEN_SECONDS) }
          break results if results[rate][:errors].positive?
        end
      end

      # A server that does one thing at a time still answers requests whose clients have gone.
      def settled(web)
        yield.tap { web.get("/wait") }
      end

      def rates(results) = by_clients(BY_CLIENTS, results) { |one| one[:rate].round }
      def latencies(results) = by_clients("Mean latency in ms by clients", results) { |one| one[:latency].round }

      def by_clients(title, results)
        Table.new(["server", *CLIENTS.map(&:to_s)], results.map { |name, one| [name, *one[:closed].values.map { |result| yield result }] }, title: title)
      end

      def offered(results)
        rows = results.map { |name, one| [name, *one[:open].values_at(*RATES).map { |result| offered_cell(result) if result }] }
        Table.new(["server", *RATES.map(&:to_s)], rows, title: "Mean latency in ms by requests that come each second, over #{OPEN_SECONDS} s")
      end

      def offered_cell(result) = result[:errors].zero? ? result[:latency]&.round : "errors"

      # The two that Pipelined was presented with.
      def charts(results)
        { BY_CLIENTS => curves(results) { |one| one[:closed].transform_values { |result| result[:rate] } },
          BY_RATE => curves(results) { |one| one[:open].transform_values { |result| result[:latency] if result[:errors].zero? } } }
      end

      # @return [String] the page's path
      def write_page(charts)
        Report.new("An action that waits for a tenth of a second")
              .lines(BY_CLIENTS, charts.fetch(BY_CLIENTS), xtitle: "clients", ytitle: "requests a second")
              .lines(BY_RATE, charts.fetch(BY_RATE), xtitle: "requests that come a second", ytitle: "ms")
              .write(File.join(Results::FOLDER, "pipelined.html"), footer: Versions.line(@server))
      end

      def curves(results)
        results.map { |name, one| { name: name, data: (yield one).compact.transform_keys(&:to_s) } }
      end

      def figures(results)
        thin, falcon = results.values_at(THIN, FALCON).map { |one| one[:closed] }
        reached = CLIENTS.take_while { |clients| clients <= 64 }.map { |clients| thin[clients][:rate] / (clients / ACTION) }.min
        [
          figure("Thin in fibers, up to 64 clients: requests a second against clients / #{ACTION} s", reached, ">= 0.95"),
          figure("the same: mean latency ms", CLIENTS.filter_map { |clients| thin[clients][:latency] if clients <= 64 }.max, "< 110"),
          figure("the same with 256 clients, against Falcon", thin[256][:rate] / falcon[256][:rate], ">= 0.9"),
          figure("socket errors", thin.values.sum { |one| one[:errors] }, "0")
        ]
      end
    end
  end
end

Trunkline::Bench::Pipelined.main(runs: nil)
