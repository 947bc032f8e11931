# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/children"

module Hosts
  module ActiveRecord
    # sequel_pg, which reads libpq's results in C, yields a raw connection's results as it yields libpq's. In a process of its own, which it would end.
    class SequelPgTest < Trunkline::TestCase
      include Children
      include Trunkline::ActiveRecordHost

      PROGRAM = <<~RUBY
        require "active_record"
        require "trunkline/postgresql"
        require "sequel"
        require "sequel/adapters/postgres" # which loads sequel_pg
        ActiveRecord::Base.establish_connection(url: ARGV[0])
        libpq = PG.connect(ARGV[0].dup)
        raw = ActiveRecord::Base.lease_connection.raw_connection
        raw.type_map_for_results = PG::TypeMapAllStrings.new
        model = Class.new { def self.call(row) = [:model, row]; def self.allocate = Struct.new(:values).new }
        database = Sequel.connect(ARGV[0])
        sql = "SELECT n AS a, CASE WHEN n < 3 THEN 'x' || n END AS b, true AS c FROM generate_series(1, 3) n"
        yielded = lambda do |result, type, wanted|
          rows = []
          database[sql].clone(_sequel_pg_type: type, _sequel_pg_value: wanted).tap { |dataset| dataset.send(:yield_hash_rows, result, nil) { |row| rows << row } }
          rows
        end
        forms = { nil => nil, all: nil, map: :a, map_array: [:a, :b], first: nil, first_array: nil, array: nil, array_array: nil, hash: [:a, :b], hash_groups: [:c, [:a, :b]] }
        forms.each do |type, wanted|
          theirs, here = [libpq, raw].map { |connection| yielded.call(connection.exec(sql), type, wanted) }
          puts "\#{type.inspect}: \#{theirs == here ? "same" : "\#{theirs} \#{here}"}"
        end
        raw.send_query(sql)
        rows = []
        database[sql].send(:yield_each_row, raw) { |row| rows << row }
        puts "each row: \#{rows == database[sql].all ? "same" : rows}"
      RUBY
      # As sequel-activerecord_connection has it.
      OVER_ACTIVE_RECORD = <<~'RUBY'
        require "active_record"
        require "trunkline/postgresql"
        require "sequel"
        ActiveRecord::Base.establish_connection(url: ARGV.fetch(0))
        module Asking
          def execute(sql, _arguments = nil)
            type_map_for_results_before, self.type_map_for_results = type_map_for_results, PG::TypeMapAllStrings.new
            result = async_exec(sql)
            block_given? ? yield(result) : result.cmd_tuples
          ensure
            self.type_map_for_results = type_map_for_results_before
          end
        end
        db = Sequel.connect(adapter: :postgres, test: false, keep_reference: false)
        db.define_singleton_method(:activerecord_model) { ActiveRecord::Base }
        db.define_singleton_method(:synchronize) { |*, &block| block.call(ActiveRecord::Base.lease_connection.raw_connection.extend(Asking)) }
        rows = db.fetch("SELECT n AS a, NULL AS b, 'x'::text AS c, 1.5 AS d FROM generate_series(1, 2) n")
        types = db[:pg_type].where(oid: [16, 17]).order(:oid)
        model = Class.new(Sequel::Model(types))
        puts Sequel::Postgres::Dataset.method_defined?(:with_optimize_model_load)
        puts rows.all.inspect, rows.columns.inspect, types.map(:typname).inspect, types.select_map(%i[oid typname]).inspect, types.as_hash(:oid, :typname).inspect
        puts model.map(&:typname).inspect, types.to_hash_groups(:typlen, :typname).inspect
      RUBY
      private_constant :PROGRAM, :OVER_ACTIVE_RECORD

      def test_results_are_yielded_as_libpqs
        output, = run_program(PROGRAM, "postgres://postgres@127.0.0.1:#{postgres_server.port}/postgres", environment: { "NO_SEQUEL_PG" => nil })
        assert_equal ["each row: same", ":all: same", ":array: same", ":array_array: same", ":first: same", ":first_array: same", ":hash: same", ":hash_groups: same",
                      ":map: same", ":map_array: same", "nil: same"].sort, output.lines(chomp: true).grep_v(/warning:/).sort
      end

      def test_datasets_over_active_records_connections
        output, = run_program(OVER_ACTIVE_RECORD, postgres_server.uri, environment: { "NO_SEQUEL_PG" => nil })
        rows = [{ a: 1, b: nil, c: "x", d: BigDecimal("1.5") }, { a: 2, b: nil, c: "x", d: BigDecimal("1.5") }]
        expected = [true, rows.inspect, %i[a b c d].inspect, %w[bool bytea].inspect, [[16, "bool"], [17, "bytea"]].inspect, { 16 => "bool", 17 => "bytea" }.inspect,
                    %w[bool bytea].inspect, { 1 => ["bool"], -1 => ["bytea"] }.inspect]
        assert_equal expected.map(&:to_s), output.lines(chomp: true).grep_v(/warning:/)
      end
    end
  end
end
