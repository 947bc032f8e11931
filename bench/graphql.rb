# frozen_string_literal: true

# One page of GraphQL with twenty sources over ActiveRecord, asked by ten clients at once: on Trunkline's adapter and on the stock one with
# pools of 5, 30 and 100, with graphql-ruby's AsyncDataloader, and with its plain Dataloader, which asks one source after the other.

require_relative "support/bench"
require_relative "support/backends"
require_relative "support/graphql_sides"
require_relative "support/server_cpu"
require_relative "support/web_load"

module Trunkline
  module Bench
    # Each side on each server, which is started anew for it, with one page after the other.
    class Graphql < Experiment
      PAGES = {
        "/find" => "each source finds one record by its primary key", "/wait" => "each source waits 20 ms for the database",
        "/report" => "each source finds a record in a transaction, and keeps its connection until the page is there"
      }.freeze
      CLIENTS = 10
      WARM_UP = 1  # seconds, after the first pages; again, until each client may have been answered
      WARM_UPS = 5 # at most
      HEADERS = ["server and side", "requests/s", "CPU ms", "median ms", "p99 ms", "errors", "connections by then", "first pages ms", "their errors"].freeze
      private_constant :PAGES, :CLIENTS, :WARM_UP, :WARM_UPS, :HEADERS

      # @param options [Options]
      def initialize(options)
        @seconds = options.numbers[:seconds]
        super
        @sides = GraphqlSides.new(@server)
      end

      def run
        load = load_average
        sides = measure
        results = PAGES.keys.to_h { |path| [path, sides.transform_values { |pages| pages.fetch(path) }] }
        publish(results.map { |path, found| table(path, found) }, { pages: results }, figures: [*figures(results), figure("the machine's load average before", load)])
      end

      private

      def settings = { "max_connections" => "400" }

      # @return [Hash{String => Hash{String => Hash}}] by side and page
      def measure
        bodies = []
        sides = @sides.each do |name, web, application|
          warn name
          PAGES.keys.to_h do |path|
            first = first_pages(web, path)
            bodies |= first.delete(:bodies)
            [path, loaded(web, path, application).merge(first)]
          end
        end
        bodies.one? ? sides : raise("the sides do not answer the same: #{bodies}")
      end

      # What the clients meet that come first, all at once.
      def first_pages(web, path)
        pages = Array.new(CLIENTS) { Thread.new { timed { web.get(path) } } }.map(&:value)
        answered = pages.select { |page, _| page.code == "200" }
        { first: pages.map(&:last).max * 1000, first_errors: pages.size - answered.size, bodies: answered.map { |page, _| page.body } }
      end

      def timed
        begin_time = Measure.now
        [yield, Measure.now - begin_time]
      end

      # @return [Hash] of the run with the median rate
      def loaded(web, path, application)
        WARM_UPS.times { break if WebLoad.closed(web, path, clients: CLIENTS, seconds: WARM_UP)[:requests] >= CLIENTS }
        runs = Array.new(@options.runs) { asked(web, path).merge(Backends.of(@server, application)) }
        runs.sort_by { |run| run[:rate] }[runs.size / 2]
      end

      # @return [Hash] see {WebLoad.closed}, and the processor time of a request in the web server
      def asked(web, path)
        cpu = ServerCpu.seconds(web.pid)
        result = WebLoad.closed(web, path, clients: CLIENTS, seconds: @seconds)
        result[:cpu_each] = (ServerCpu.seconds(web.pid) - cpu) / result[:requests] if cpu && result[:requests].positive?
        result
      end

      def table(path, sides)
        rows = sides.map do |name, one|
          [name, one[:rate].round(1), one[:cpu_each] && (one[:cpu_each] * 1000).round(1), one[:median].round(1), one[:p99].round(1), one[:errors], one[:connections], one[:first].round, one[:first_errors]]
        end
        Table.new(HEADERS, rows, title: "#{CLIENTS} clients, 20 sources: #{PAGES.fetch(path)}", drawn: "requests/s")
      end

      def figures(results)
        ours, stock = results.values.map { |sides| sides.partition { |name, _| name.include?("Trunkline") } }.transpose.map { |sides| sides.flatten(1) }
        [
          *GraphqlSides::SERVERS.keys.map { |server| figure("#{server}, find: requests a second against the stock adapter's best", against(results["/find"], server)) },
          *GraphqlSides::SERVERS.keys.map { |server| figure("#{server}, wait: the same", against(results["/wait"], server)) },
          figure("most connections, find", results["/find"].slice(*ours.map(&:first)).values.map { |one| one[:connections] }.max, "<= 9"),
          figure("errors", errors(ours), "0"), figure("errors of the stock adapter", errors(stock))
        ]
      end

      def errors(sides) = sides.sum { |_, one| one[:errors] + one[:first_errors] }

      def against(sides, server)
        ours, stock = sides.select { |name, _| name.start_with?(server) }.partition { |name, _| name.include?("Trunkline") }
        ours.map { |_, one| one[:rate] }.max / stock.map { |_, one| one[:rate] }.max
      end
    end
  end
end

Trunkline::Bench::Graphql.main(numbers: { seconds: [2, "length of each measurement"] })
