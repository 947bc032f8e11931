# frozen_string_literal: true

# What it costs the server to compare the types of columns before each execution of a prepared statement: instructions, counted by callgrind,
# which do not depend on the load of the machine.

require "bigdecimal"
require "date"
require "pg"
require "trunkline"
require_relative "support/bench"
require_relative "support/counted_server"

module Trunkline
  module Bench
    # Each statement is executed in three ways: prepared, prepared with the check that this client sends before it, and parsed each time. The pg gem sends
    # all three in its pipeline mode, each execution with a Sync of its own.
    class ColumnCheck < Experiment
      EXECUTIONS = [100, 400].freeze # of two sessions, whose difference counts
      DAY = Date.new(2026, 1, 1)
      HALF = BigDecimal("1.5")
      STATEMENTS = {
        "INSERT of three columns" => ["INSERT INTO thing (id, d, n) VALUES ($1, $2, $3)", [DAY, HALF]],
        "UPDATE of three columns" => ["UPDATE thing SET d = $2, n = $3, t = $4 WHERE id = $1", [DAY, HALF, "new"]],
        "UPDATE of one column" => ["UPDATE thing SET n = $2 WHERE id = $1", [HALF]],
        "DELETE, WHERE id = $1" => ["DELETE FROM thing WHERE id = $1", []],
        "DELETE, WHERE id = $1 + 0: all sixteen columns" => ["DELETE FROM thing WHERE id = $1 + 0", []],
        "SELECT, WHERE id = $1 AND d >= $2" => ["SELECT t FROM thing WHERE id = $1 AND d >= $2", [DAY]],
        "SELECT from a join of two tables, likewise" => ["SELECT thing.t, other.t FROM thing JOIN other USING (id) WHERE thing.id = $1 AND thing.d >= $2", [DAY]]
      }.freeze
      WAYS = ["prepared", "with the check", "parsed each time"].freeze
      TABLES = "CREATE TABLE thing (id int PRIMARY KEY, d date, n numeric, t text, #{(1..12).map { |number| "c#{number} int" }.join(", ")}); " \
               "CREATE TABLE other (id int PRIMARY KEY, t text)"
      # Before the first execution of a statement with values whose form depends on their type: see ext/trunkline/postgres/answers/types_check.c.
      TYPES = "SELECT 1 / (1 - count(*)) FROM pg_prepared_statements WHERE name = $1 AND parameter_types::oid[] <> $2"
      PREPARED_COUNTS = [100, 500].freeze
      TYPES_EXECUTIONS = [20, 60].freeze
      ROWS = 10_000 # so many that a plan uses the index
      PREPARED = "SELECT statement FROM pg_prepared_statements WHERE statement LIKE 'SELECT%' AND statement <> $1"
      private_constant :TYPES, :PREPARED_COUNTS, :TYPES_EXECUTIONS, :ROWS, :PREPARED, :EXECUTIONS, :DAY, :HALF, :STATEMENTS, :WAYS, :TABLES

      def run
        results = STATEMENTS.transform_values { |sql, values| WAYS.to_h { |way| [way, each_execution(way, sql, values, check_of(sql, values))] } }
        types = measure_types
        publish([table(results), types_table(types)], { columns: results, types: types })
      end

      private

      def start
        @counted = CountedServer.new("jit" => "off")
        @counted.server
      end

      def fill = @server.psql(TABLES)

      # @return [String] the query that this client has the server describe before each execution
      def check_of(sql, values)
        Trunkline.postgres(@server.uri, connections: 1, max_connections: 1) do |db|
          [-1, -2].each { |id| db.query(sql, id, *values) } # a SELECT has its check from the second execution on
          db.session { |session| session.column(PREPARED, sql) }.grep_v(/pg_prepared_statements/).first or raise "no check of #{sql}"
        end
      end

      # @return [Float] thousands of instructions
      def each_execution(way, sql, values, check)
        few, many = EXECUTIONS.map { |count| session(way, sql, values, check, count) }
        (many - few) / (EXECUTIONS.last - EXECUTIONS.first).to_f / 1000
      end

      # @return [Integer] instructions of a server process that has executed the statement that many times
      def session(way, sql, values, check, count)
        refill(insert: sql.start_with?("INSERT"))
        connection = ::PG.connect(@server.uri)
        pid = connection.backend_pid
        connection.prepare("run", sql)
        connection.prepare("check", check)
        connection.enter_pipeline_mode
        count.times { |number| execute(connection, way, sql, [number + 1, *values].map { |value| text(value) }) }
        connection.close
        @counted.instructions(pid)
      end

      # @return [Hash{String => Float}] thousands of instructions of one execution
      def measure_types
        compared = PREPARED_COUNTS.to_h { |count| ["the comparison, #{count} statements prepared", [TYPES, ["s1", "{23}"], count]] }
        { "SELECT $1::int" => ["SELECT $1::int", ["1"], 1], **compared }.transform_values do |sql, values, prepared|
          few, many = TYPES_EXECUTIONS.map { |count| types_session(sql, values, prepared, count) }
          (many - few) / (TYPES_EXECUTIONS.last - TYPES_EXECUTIONS.first).to_f / 1000
        end
      end

      # @return [Integer] instructions of a server process that has prepared so many statements, and has executed the query that many times
      def types_session(sql, values, prepared, count)
        connection = ::PG.connect(@server.uri)
        pid = connection.backend_pid
        prepared.times { |number| connection.prepare("s#{number + 1}", "SELECT $1::int + #{number}") }
        connection.prepare("run", sql)
        count.times { connection.exec_prepared("run", values) }
        connection.close
        @counted.instructions(pid)
      end

      def text(value) = value.is_a?(BigDecimal) ? value.to_s("F") : value.to_s

      def execute(connection, way, sql, values)
        connection.send_describe_prepared("check") if way == WAYS[1]
        way == WAYS[2] ? connection.send_query_params(sql, values) : connection.send_query_prepared("run", values)
        connection.pipeline_sync
        loop { break if connection.get_result.then { |result| result&.check&.result_status == ::PG::PGRES_PIPELINE_SYNC } }
      end

      def refill(insert:)
        rows = "SELECT id, '2026-01-01', 1, 'old' FROM generate_series(1, #{insert ? 0 : ROWS}) AS id"
        @server.psql("TRUNCATE thing, other; INSERT INTO thing (id, d, n, t) #{rows}; INSERT INTO other SELECT id, t FROM thing; VACUUM ANALYZE thing, other")
      end

      def table(results)
        Table.new(["statement", *WAYS], results.map { |name, ways| [name, *ways.values.map { |count| format("%.1f", count) }] },
                  title: "Thousands of the server's instructions an execution")
      end

      def types_table(types)
        Table.new(["query", "thousands of instructions"], types.map { |name, count| [name, format("%.1f", count)] },
                  title: "The comparison of a statement's types")
      end
    end
  end
end

Trunkline::Bench::ColumnCheck.main(runs: nil)
