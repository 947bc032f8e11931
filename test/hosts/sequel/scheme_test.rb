# frozen_string_literal: true

require "test_helper"
require "support/forked_programs"

module Hosts
  module Sequel
    # The names that the adapter is found by: each program is a process of its own, as the names are those of the whole process.
    class SchemeTest < Trunkline::TestCase
      OURS = "Sequel::Trunkline::Database 1"
      STOCK = "Sequel::Postgres::Database 1"
      # What a program that connects prints.
      SHOW = "->(db) { print db.class.name, ' ', db.get(1) }"
      private_constant :OURS, :STOCK, :SHOW

      def self.programs
        @programs ||= ForkedPrograms.of_tests("-w", "-Ilib", "-rbundler/setup", before: "require 'trunkline'", environment: { "RUBYOPT" => nil })
      end

      def test_postgres_is_it_by_one_line
        ways = ["Sequel.connect(ARGV[0])", "Sequel.connect(ARGV[0].sub('postgres:', 'postgresql:'))", "Sequel.connect(adapter: 'postgres', **HOST)",
                "Sequel.connect(ARGV[0], max_connections: 4, adapter: 'trunkline')", "Sequel.postgres('postgres', **HOST)",
                "Sequel.connect(ARGV[0], servers: { read_only: {} })"]
        assert_equal [OURS] * ways.size, told("[#{ways.join(", ")}].each { |db| print db.class.name, ' ', db.get(1), ';' }").split(";")
      end

      def test_the_environment_goes_back
        assert_equal STOCK, told("#{SHOW}[Sequel.connect(ARGV[0])]", environment: { "TRUNKLINE_POSTGRESQL" => "stock" })
        assert_match(/TRUNKLINE_POSTGRESQL must be stock or trunkline, not "of"/, told("", environment: { "TRUNKLINE_POSTGRESQL" => "of" }))
      end

      # Without the line nothing is taken.
      def test_trunkline_alone_takes_no_name
        assert_equal STOCK, told("#{SHOW}[Sequel.connect(ARGV[0])]", before: "require 'sequel'", line: "sequel/adapters/trunkline")
      end

      # Gems require it, each in its own way.
      def test_the_stock_adapter_is_loaded_before_or_later
        assert_equal OURS, told("require 'sequel/adapters/postgres'; #{SHOW}[Sequel.connect(ARGV[0])]")
        assert_equal OURS, told("#{SHOW}[Sequel.connect(ARGV[0])]", before: "require 'sequel'; require 'sequel/adapters/postgres'")
      end

      def test_both_in_one_process
        program = "ours = Sequel.connect(ARGV[0]); require 'sequel/adapters/postgres'; " \
                  "stock = Sequel.connect(HOST.merge(adapter: Sequel::Postgres::Database)); again = Sequel.connect(ARGV[0]); " \
                  "print [ours, stock, again].map { |db| [db.class, db.adapter_scheme, db.transaction { db.get(1) }] }.inspect"
        ours, stock = %w[Trunkline Postgres].map { |name| "[Sequel::#{name}::Database, :postgres, 1]" }
        assert_equal "[#{ours}, #{stock}, #{ours}]", told(program)
      end

      # As rom-sql does, which needs that gem by its name.
      def test_what_sequel_pg_has
        program = "print require('sequel_pg'), Sequel::Postgres.supports_streaming?, ' '; db = Sequel.connect(ARGV[0]); db.extension(:pg_streaming); " \
                  "series = db.from(Sequel.function(:generate_series, 1, 2500).as(:n)).select(:n); seen = []; " \
                  "series.stream.each { |row| seen << [db.in_transaction?, row[:n]]; series.stream.first if row[:n] == 1200 }; " \
                  "print seen.size, ' ', seen.map(&:first).uniq, ' ', seen.sum(&:last), ' ', series.stream.columns, ' ', db.fetch('SHOW port').stream.all.size, ' '; " \
                  "db.stream_all_queries = true; print series.map { |row| row[:n] }.sum, ' ', series.map(:n).sum, ' ', db.in_transaction?, ' ', " \
                  "series.stream.paged_each(rows_per_fetch: 100).count, series.with_optimize_model_load(false).count"
        assert_equal "truetrue 2500 [true] 3126250 [:n] 1 3126250 3126250 false 25002500", told(program)
      end

      # Each streams in its own way.
      def test_the_stock_adapter_beside_it_has_sequel_pg
        ask = "[ours, stock].each { |db| db.extension(:pg_streaming); ds = db.from(Sequel.function(:generate_series, 1, 2500).as(:n)); " \
              "print db.singleton_class.ancestors.map(&:to_s).grep(/Streaming/).first, ' ', ds.stream.to_a.size, ' ' }; " \
              "print Sequel::Postgres::Dataset.private_method_defined?(:allow_sequel_pg_optimization?)"
        ["require 'sequel_pg'", "require 'sequel/adapters/postgres'"].each do |before|
          program = "#{before}; ours = Sequel.connect(ARGV[0]); ours.extension(:pg_streaming); " \
                    "stock = Sequel.connect(HOST.merge(adapter: Sequel::Postgres::Database)); #{ask}"
          assert_equal "Sequel::Trunkline::Streaming 2500 Sequel::Postgres::Streaming 2500 true", told(program, environment: { "NO_SEQUEL_PG" => nil }), before
        end
      end

      def test_the_classes_of_the_stock_adapter_are_there
        program = "db = Sequel.connect(ARGV[0]); print [defined?(PG::Error), db.is_a?(Sequel::Postgres::Database), Sequel::Postgres::Database === db, " \
                  "db[:a].is_a?(Sequel::Postgres::Dataset), db.is_a?(Sequel::Mock::Database), Sequel::Mock::Database === db, " \
                  "db.synchronize { |conn| [Sequel::Postgres::Adapter === conn, PG::Connection === conn, conn.is_a?(PG::Result)] }, " \
                  "(db.run('SELEC') rescue Sequel::Postgres::PGError === $!.wrapped_exception)].inspect"
        assert_equal '[nil, true, true, true, false, false, [true, true, false], true]', told(program, before: "require 'sequel'; Sequel.mock")
      end

      # As que does, which has the connection that such a Database's synchronize yields. What is shown tells its own class.
      def test_what_chooses_by_the_name_of_the_class
        program = "db = Sequel.connect(ARGV[0]); run = case db.class.to_s when 'Sequel::Postgres::Database' then db.method(:synchronize) end; " \
                  "print run.call { |conn| conn.exec('SELECT 1').values }, ' ', [db.class, db.class.name], ' ', db.inspect[/\\A\\S+/]"
        assert_equal '[["1"]] [Sequel::Trunkline::Database, "Sequel::Trunkline::Database"] #<Sequel::Trunkline::Database', told(program)
      end

      # As sequel-rails does with the adapter's name of its configuration.
      def test_what_searches_for_a_class_by_the_adapters_name_is_given_the_line
        program = "module Storage; end; begin; Storage.const_get('trunkline'.capitalize).new({}); rescue NoMethodError; print $!.message; end"
        assert_match(%r{adapter: postgres, and in the Gemfile gem "trunkline", require: "trunkline/sequel/postgres"$}, told(program))
      end

      # It says so itself when it is loaded later, without a warning.
      def test_the_extension_that_checks_for_the_driver_is_loaded_first
        program = "db = Sequel.connect(ARGV[0].sub(/\\A\\w+/, 'trunkline')); db.extension(:pg_auto_parameterize); " \
                  "require 'sequel/adapters/postgres'; print db[:pg_type].where(oid: 16).get(:typname), Sequel::Postgres::USES_PG"
        ["trunkline/sequel/postgres", "sequel/adapters/trunkline"].each { |line| assert_equal "booltrue", told(program, line: line, before: "require 'sequel'"), line }
      end

      def test_statements_with_parameters_are_read_where_others_stream
        program = "db = Sequel.connect(ARGV[0]); db.extension(:pg_streaming); ds = db[:pg_type].where(oid: :$oid).select(:typname).stream; " \
                  "db.stream_all_queries = true; auto = Sequel.connect(ARGV[0]); auto.extension(:pg_streaming, :pg_auto_parameterize); " \
                  "print [ds.call(:first, oid: 16), ds.prepare(:select, :by_oid).call(oid: 16), auto[:pg_type].where(oid: 16).stream.select(:typname).all].inspect"
        row = { typname: "bool" }
        assert_equal [row, [row], [row]].inspect, told(program)
      end

      # As frameworks do, which find a URL's scheme in this table.
      def test_other_adapters_are_found_as_before
        assert_equal "Sequel::Mock::Database mock", told("db = Sequel.connect('mock://postgres'); print db.class, ' ', db.adapter_scheme")
        assert_match(/AdapterNotFound/, told("begin; Sequel.connect('nothing://there'); rescue Sequel::Error => error; print error.class; end"))
      end

      private

      # What the program prints, warnings included.
      def told(program, environment: {}, line: "trunkline/sequel/postgres", before: "")
        host = { host: "127.0.0.1", port: postgres_server.port, user: "postgres", database: "postgres" }
        output, = SchemeTest.programs.run("#{before}\nrequire '#{line}'; HOST = #{host.inspect}; #{program}",
                                          "postgres://postgres@127.0.0.1:#{postgres_server.port}/postgres",
                                          environment: { "NO_SEQUEL_PG" => "1", **environment })
        output.lines.grep_v(/gems\/.*warning/).join
      end
    end
  end
end
