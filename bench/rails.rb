# frozen_string_literal: true

# A shop in Rails on Puma and Falcon, whose database has a round trip of a millisecond, and TLS: on the stock adapter, directly and through PgBouncer, and on
# Trunkline's. And how many round trips a page takes that loads ten figures by load_async.

require_relative "support/bench"
require_relative "support/private_memory"
require_relative "support/shop_sides"
require_relative "support/warmed_load"
require_relative "support/servers/tls_server"

module Trunkline
  module Bench
    # The sides on each web server run beside each other, and one page after the other is requested of them, in turns.
    class RailsShop < Experiment
      PAGES = { "/products/17" => "a product: seven statements, one of which writes in a transaction", "/dashboard" => "ten figures by load_async" }.freeze
      CLIENTS = 32
      NEAR = 0.001 # seconds that the link adds to a round trip
      FAR = 0.1    # the same, where round trips are counted: long beside what a busy machine adds
      TRIPS = 15   # pages, for that
      WARM_UP = 5  # pages before these
      HEADERS = ["server and adapter", "requests/s", "median ms", "p99 ms", "errors", "web server's CPU ms", "web server's MB", "connections", "their MB"].freeze
      COUNTED = ["Puma 16 threads", "Falcon"].freeze
      private_constant :PAGES, :CLIENTS, :NEAR, :FAR, :TRIPS, :WARM_UP, :HEADERS, :COUNTED

      # @param options [Options]
      def initialize(options)
        super
        @sides = ShopSides.new(@server)
        @load = WarmedLoad.new(@server, clients: CLIENTS, runs: options.runs, seconds: options.numbers[:seconds])
      end

      def run
        load = load_average
        of_servers = @sides.each_server(delay: NEAR) { |sides| PAGES.keys.to_h { |path| [path, measured(sides, path)] } }
        results = PAGES.keys.to_h { |path| [path, of_servers.map { |pages| pages.fetch(path) }.reduce(:merge)] }
        trips = round_trips
        publish([*results.map { |path, found| table(path, found) }, trips_table(trips)], { pages: results, trips: trips }, figures: [*figures(results, trips), figure("the machine's load average before", load)])
      end

      private

      def start = TLSServer.start(settings: { "max_connections" => "300" })

      # @return [Hash{String => Hash}] by side
      def measured(sides, path)
        warn "#{path}: #{sides.keys.join("; ")}"
        sides.each do |name, side|
          (@answers ||= {})[path] ||= page(side.web, path)
          raise "#{name} does not answer what the others do: #{page(side.web, path)}" unless page(side.web, path) == @answers[path]
        end
        @load.of(sides, path).to_h { |name, run| [name, run.merge(client: PrivateMemory.of_group(sides.fetch(name).web.pid))] }
      end

      def page(web, path) = web.get(path).then { |answer| answer.code == "200" ? answer.body : "#{answer.code} #{web.log}" }

      # @return [Hash{String => Float}] by side
      def round_trips
        times = [0.0, FAR].map do |delay|
          @sides.each(delay: delay, servers: COUNTED, adapters: %w[pg Trunkline]) do |name, web|
            warn "#{name}, #{(delay * 1000).round} ms"
            Measure.median(Array.new(TRIPS + WARM_UP) { seconds { web.get("/dashboard") } }.drop(WARM_UP))
          end
        end
        times.first.to_h { |name, near| [name, (times.last.fetch(name) - near) / FAR] }
      end

      def seconds
        begin_time = Measure.now
        yield
        Measure.now - begin_time
      end

      def table(path, sides)
        rows = sides.map do |name, one|
          [name, one[:rate].round(1), one[:median].round(1), one[:p99].round(1), one[:errors], one[:cpu_each] && (one[:cpu_each] * 1000).round(2), one[:client]&.round, one[:connections], one[:memory]&.round]
        end
        Table.new(HEADERS, rows, title: "#{CLIENTS} clients, over TLS and #{(NEAR * 1000).round} ms: #{PAGES.fetch(path)}", drawn: "requests/s")
      end

      def trips_table(trips)
        Table.new(["server and adapter", "round trips"], trips.map { |name, number| [name, number.round(2)] }, title: "One client: #{PAGES.fetch("/dashboard")}, over #{(FAR * 1000).round} ms")
      end

      def figures(results, trips)
        ratios = results.flat_map do |path, sides|
          ShopSides::SERVERS.keys.map { |server| figure("#{server}, #{path}: requests a second against the better of the stock adapter's", against(sides, server)) }
        end
        ours = results.values.flat_map { |sides| sides.select { |name, _| name.include?("Trunkline") }.values }
        [*ratios, figure("most connections", ours.map { |one| one[:connections] }.max, "<= 16"), figure("errors", ours.sum { |one| one[:errors] }, "0"),
         *COUNTED.flat_map do |server|
           [figure("#{server}: round trips of ten figures by load_async", trips.fetch("#{server}, Trunkline"), "<= 2"), figure("#{server}: the same on the stock adapter", trips.fetch("#{server}, pg"))]
         end]
      end

      def against(sides, server)
        stock = sides.select { |name, _| name.start_with?(server) && !name.include?("Trunkline") }
        sides.fetch("#{server}, Trunkline")[:rate] / stock.values.map { |one| one[:rate] }.max
      end
    end
  end
end

Trunkline::Bench::RailsShop.main(numbers: { seconds: [2, "length of each measurement"] })
