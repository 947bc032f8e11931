# frozen_string_literal: true

# One page of GraphQL with twenty sources over ActiveRecord, requested by ten clients at once: on Trunkline's adapter and on the stock one with
# pools of 5, 30 and 100, with graphql-ruby's AsyncDataloader, and with its plain Dataloader, which loads one source after the other.

require_relative "support/bench"
require_relative "support/graphql_sides"
require_relative "support/warmed_load"

module Trunkline
  module Bench
    # The sides on each server run beside each other, and one page after the other is requested of them, in turns.
    class Graphql < Experiment
      PAGES = {
        "/find" => "each source finds one record by its primary key", "/wait" => "each source waits 20 ms for the database",
        "/report" => "each source finds a record in a transaction, and keeps its connection until the page is there"
      }.freeze
      CLIENTS = 10
      HEADERS = ["server and side", "requests/s", "CPU ms", "median ms", "p99 ms", "errors", "connections by then", "first pages ms", "their errors"].freeze
      private_constant :PAGES, :CLIENTS, :HEADERS

      # @param options [Options]
      def initialize(options)
        super
        @sides = GraphqlSides.new(@server)
        @load = WarmedLoad.new(@server, clients: CLIENTS, runs: options.runs, seconds: options.numbers[:seconds])
      end

      def run
        load = load_average
        results = measure
        publish(results.map { |path, found| table(path, found) }, { pages: results }, figures: [*figures(results), figure("the machine's load average before", load)])
      end

      private

      def settings = { "max_connections" => "400" }

      # @return [Hash{String => Hash{String => Hash}}] by page and side
      def measure
        bodies = []
        of_servers = @sides.each { |sides| PAGES.keys.to_h { |path| [path, of_page(sides, path, bodies)] } }
        raise "the sides do not answer the same: #{bodies.uniq}" unless bodies.uniq.one?

        PAGES.keys.to_h { |path| [path, of_servers.map { |pages| pages.fetch(path) }.reduce(:merge)] }
      end

      # @param bodies [Array<String>] takes what is answered
      # @return [Hash{String => Hash}] by side
      def of_page(sides, path, bodies)
        warn "#{path}: #{sides.keys.join("; ")}"
        first = sides.transform_values { |side| first_pages(side.web, path) }
        first.each_value { |pages| bodies.concat(pages.delete(:bodies)) }
        @load.of(sides, path).to_h { |name, run| [name, run.merge(first.fetch(name))] }
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
