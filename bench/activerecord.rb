# frozen_string_literal: true

# What ActiveRecord costs one caller on the stock adapter and on Trunkline's: a value, a record by its primary key, a transaction
# with one INSERT, and one more connection of ActiveRecord's.

require_relative "support/bench"

module Trunkline
  module Bench
    # Each work on both adapters, in processes of their own.
    class ActiveRecordAdapters < AccountsExperiment
      ADAPTERS = { "pg" => "postgresql", "Trunkline" => "trunkline" }.freeze
      # Work, and what is promised of its CPU against pg's.
      WORK = { "select_value" => "<= 1", "find" => "<= 1", "transaction" => "" }.freeze
      MORE = 50 # connections
      HEADERS = ["side", "wall us", "CPU us", "queries", "connections of the server's"].freeze

      def run
        work = WORK.keys.to_h { |name| [name, rates(name)] }
        more = opened
        tables = work.map { |name, rates| SelectsTable.of(rates, title: name) }
        publish([*tables, table(more)], { work: work, more: more }, figures: figures(work, more))
      end

      private

      def fill
        super
        @server.psql("CREATE TABLE notes (id bigserial PRIMARY KEY, account int NOT NULL)")
      end

      def rates(work) = selects(ADAPTERS.transform_values { |adapter| asker("active_record_work", adapter: adapter, work: work) })

      def opened
        sides = ADAPTERS.transform_values { |adapter| peer("active_record_connections", adapter: adapter) }
        comparing(sides) { |comparison| comparison.measure(runs: @options.runs) { { count: MORE } } }
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

      def versions = { **super, "activerecord" => Bundler.load.specs["activerecord"].first.version.to_s }
    end
  end
end

Trunkline::Bench::ActiveRecordAdapters.main(runs: 3)
