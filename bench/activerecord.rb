# frozen_string_literal: true

# What ActiveRecord costs one caller on the stock adapter and on Trunkline's: a value, a record by its primary key, a transaction
# with one INSERT, and one more connection of ActiveRecord's.

require_relative "support/bench"

module Trunkline
  module Bench
    # Each work on both adapters, in processes of their own.
    class ActiveRecordAdapters
      include Figures

      ADAPTERS = { "pg" => "postgresql", "Trunkline" => "trunkline" }.freeze
      # Work, and what is promised of its CPU against pg's.
      WORK = { "select_value" => "<= 1", "find" => "<= 1", "transaction" => "" }.freeze
      ROWS = 100_000
      SECONDS = 2
      MORE = 50 # connections
      HEADERS = ["side", "wall us", "CPU us", "queries", "connections of the server's"].freeze

      def initialize(options)
        @options = options
        @server = PostgresServer.start(settings: Accounts::SETTINGS)
      end

      def run
        Accounts.fill(@server, ROWS)
        @server.psql("CREATE TABLE notes (id bigserial PRIMARY KEY, account int NOT NULL)")
        work = WORK.keys.to_h { |name| [name, rates(name)] }
        more = opened
        figures = figures(work, more)
        tables = work.map { |name, rates| SelectsTable.of(rates, title: name) }
        Results.new("activerecord", @options, versions).publish([*tables, table(more), figures_table(figures)], { work: work, more: more, figures: figures })
      end

      private

      def rates(work)
        comparing("active_record_work", { rows: ROWS, work: work }, ids: Array.new(1000) { |number| Accounts.id(number, ROWS) }) do |comparison|
          comparison.rates(runs: @options.runs, seconds: SECONDS)
        end
      end

      def opened
        comparing("active_record_connections", {}) { |comparison| comparison.measure(runs: @options.runs) { { count: MORE } } }
      end

      def comparing(peer, options, **answers)
        sides = ADAPTERS.transform_values { |adapter| Isolated.new(peer, uri: @server.uri, adapter: adapter, **options) }
        comparison = Comparison.new(@server, sides)
        comparison.check(**answers)
        yield comparison
      ensure
        comparison&.close
      end

      def table(more)
        rows = more.map do |side, one|
          [side, *one.values_at(:wall, :cpu).map { |seconds| (seconds / MORE * 1e6).round }, one[:result] / MORE, one[:connections]]
        end
        Table.new(HEADERS, rows, title: "One more of ActiveRecord's connections, of #{MORE}")
      end

      def figures(work, more)
        [*WORK.map { |name, bound| figure("#{name}: CPU against pg", work[name]["Trunkline"][:cpu_each] / work[name]["pg"][:cpu_each], bound) },
         figure("one more connection: queries", more["Trunkline"][:result].fdiv(MORE), "0")]
      end

      def versions = { **Versions.all(@server), "activerecord" => Bundler.load.specs["activerecord"].first.version.to_s }
    end
  end
end

Trunkline::Bench.main do
  options = Trunkline::Bench::Options.parse(ARGV, banner: "Usage: bin/bench activerecord [options]", runs: 3)
  Trunkline::Bench::ActiveRecordAdapters.new(options).run
end
