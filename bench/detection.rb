# frozen_string_literal: true

# What `session_functions: :detect` costs: a client's first statement, the check for changes of the catalogue, and the classification of statements.

require "trunkline"
require_relative "support/bench"

module Trunkline
  module Bench
    # Databases without functions that keep state, as the search goes through all of them, and lists of names.
    class Detection < Experiment
      OBJECTS = [0, 1000].freeze # tables, views and functions, each
      NAMES = [0, 100, 1000].freeze # of functions that keep state
      AGE = 0.05 # seconds until the catalogue is checked again
      FIRST = 5 # clients of a run
      TEXTS = 2000 # statements that are classified
      private_constant :OBJECTS, :NAMES, :AGE, :FIRST, :TEXTS

      def run
        databases = OBJECTS.to_h { |count| [count, database(count)] }
        classifications = NAMES.to_h { |count| [count, classification(count)] }
        publish([databases_table(databases), classifications_table(classifications)], { databases: databases, classifications: classifications },
                figures: [figure("the machine's load average before", @load)])
      end

      private

      def start = super.tap { @load = load_average }

      # @return [Hash] medians of milliseconds
      def database(objects)
        name = "objects_#{objects}"
        @server.psql("CREATE DATABASE #{name}")
        @server.psql(objects_script(objects), dbname: name)
        uri = @server.uri(dbname: name)
        { first: added { |options| first_statement(uri, options) }, later: added { |options| later_statement(uri, options) } }
      end

      def objects_script(count)
        <<~SQL
          DO $$ BEGIN FOR i IN 1..#{count} LOOP
            EXECUTE format('CREATE TABLE t%s (id int PRIMARY KEY, note text)', i);
            EXECUTE format('CREATE VIEW v%s AS SELECT id, upper(note) AS note FROM t%s', i, i);
            EXECUTE format('CREATE FUNCTION f%s(a int) RETURNS int LANGUAGE plpgsql AS %L', i, 'BEGIN RETURN a + 1; END');
            COMMIT;
          END LOOP; END $$;
          VACUUM ANALYZE;
        SQL
      end

      # @return [Float] milliseconds that it takes more with the search
      def added
        with, without = [{ session_functions: :detect }, {}].map { |options| Array.new(@options.runs * FIRST) { yield options } }
        (Measure.median(with) - Measure.median(without)) * 1000
      end

      def first_statement(uri, options)
        Trunkline.postgres(uri, **options) { |db| timed { db.value("SELECT 1") } }
      end

      def later_statement(uri, options)
        Trunkline.postgres(uri, max_statement_age: AGE, **options) do |db|
          db.value("SELECT 1")
          sleep AGE * 2
          timed { db.value("SELECT 1") }
        end
      end

      def timed
        start = Measure.now
        yield
        Measure.now - start
      end

      # @return [Float] microseconds of processor for a statement that is new
      def classification(names)
        Trunkline.postgres(@server.uri, session_functions: Array.new(names) { |number| "keep_#{number}" }) do |db|
          runs = Array.new(@options.runs) do |run|
            Measure.run { TEXTS.times { |number| db.classify("SELECT a, b, lower(c) FROM thing WHERE id = #{number} AND run = #{run}") } }[:cpu]
          end
          Measure.median(runs) / TEXTS * 1_000_000
        end
      end

      def databases_table(databases)
        rows = databases.map { |count, times| [count.to_s, *times.values_at(:first, :later).map { |time| format("%.1f", time) }] }
        Table.new(["tables, views and functions, each", "first statement of a client, ms more", "each check for changes, ms more"], rows, title: "Searching the catalogue")
      end

      def classifications_table(classifications)
        rows = classifications.map { |names, time| [names.to_s, format("%.1f", time)] }
        Table.new(["names of functions", "classification of a new statement, CPU us"], rows, title: "Comparing statements with names")
      end
    end
  end
end

Trunkline::Bench::Detection.main(runs: 5)
