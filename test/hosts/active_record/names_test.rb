# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/forked_programs"

module Hosts
  module ActiveRecord
    # The names that the adapter is found by: each program is a process of its own, as the names are those of the whole process.
    class NamesTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      def self.programs = @programs ||= ForkedPrograms.of_tests("-Ilib", before: "require 'active_record'")
      def self.empty_programs = @empty_programs ||= ForkedPrograms.of_tests("-Ilib", before: "")

      def test_it_is_found_as_soon_as_both_are_loaded
        assert_equal "ActiveRecord::ConnectionAdapters::TrunklineAdapter", told('require "trunkline"; print ActiveRecord::ConnectionAdapters.resolve("trunkline")')
      end

      # In a bundle ActiveRecord may be loaded after it, and its registry be used before ActiveRecord::Base is there.
      def test_it_is_found_whichever_is_loaded_first
        program = '%s; print defined?(ActiveRecord).inspect, " "; require "active_record"; print ActiveRecord::ConnectionAdapters.resolve("%s")'
        assert_equal "nil ActiveRecord::ConnectionAdapters::TrunklineAdapter", loading(format(program, 'require "trunkline"', "trunkline"))
        assert_equal "nil ActiveRecord::ConnectionAdapters::TrunklineAdapter", loading(format(program, 'require "trunkline/postgresql"', "postgresql"))
        assert_equal "nil ActiveRecord::ConnectionAdapters::PostgreSQLAdapter", loading(format(program, 'require "trunkline"', "postgresql"))
        assert_equal "TrunklineAdapter PostgreSQL 1", loading("require 'trunkline'; require 'active_record'; #{ASKED}", "trunkline")
        assert_equal "TrunklineAdapter PostgreSQL 1", loading("require 'trunkline/postgresql'; require 'active_record'; #{ASKED}")
      end

      # Without a bundle no sign says that ActiveRecord follows. Rails 8 loads no file for a name that is not registered, so its own error is what there is.
      def test_the_order_is_reported_without_a_bundle
        program = 'Gem.loaded_specs.delete("activerecord"); require "trunkline"; print defined?(ActiveSupport).inspect, " "; require "active_record"; ' \
                  'begin; ActiveRecord::ConnectionAdapters.resolve("trunkline"); rescue ActiveRecord::AdapterNotFound => error; print error.message; end'
        advice = /adapter: trunkline was not registered.*: require "active_record" first, then "trunkline"\z/
        assert_match(/\Anil #{::ActiveRecord.gem_version < Gem::Version.new("8.0") ? advice : "Database configuration specifies nonexistent 'trunkline' adapter"}/, loading(program))
      end

      ASKED = 'ActiveRecord::Base.establish_connection(ARGV[0]); c = ActiveRecord::Base.lease_connection; print c.class.name.split("::").last, " ", c.adapter_name, " ", c.select_value("SELECT 1")'
      private_constant :ASKED

      def test_postgresql_is_it_by_one_line
        assert_equal "TrunklineAdapter PostgreSQL 1", told("require 'trunkline/postgresql'; #{ASKED}")
        assert_equal "PostgreSQLAdapter PostgreSQL 1", told("require 'trunkline/postgresql'; #{ASKED}", "TRUNKLINE_POSTGRESQL" => "stock")
        assert_equal "PostgreSQLAdapter PostgreSQL 1", told("require 'trunkline'; #{ASKED}")
        assert_match(/TRUNKLINE_POSTGRESQL must be stock or trunkline, not "of"/, told("require 'trunkline/postgresql'", "TRUNKLINE_POSTGRESQL" => "of"))
      end

      # The gem's adapter, which registers itself after this library: its class is the one that is asked, by connections of this library's.
      POSTGIS = <<~'RUBY'
        require "tmpdir"
        Dir.mktmpdir do |folder|
          file = "active_record/connection_adapters/postgis_adapter"
          FileUtils.mkdir_p(File.dirname("#{folder}/#{file}"))
          File.write("#{folder}/#{file}.rb", "require 'active_record/connection_adapters/postgresql_adapter'; " \
            "class ActiveRecord::ConnectionAdapters::PostGISAdapter < ActiveRecord::ConnectionAdapters::PostgreSQLAdapter; ADAPTER_NAME = 'PostGIS'; end")
          $LOAD_PATH.unshift(folder)
          ActiveRecord::ConnectionAdapters.register("postgis", "ActiveRecord::ConnectionAdapters::PostGISAdapter", file)
          ActiveRecord::Base.establish_connection(adapter: "postgis", url: ARGV[0].sub("postgres:", "postgis:"))
          one = ActiveRecord::Base.lease_connection
          print one.class.name.split("::").last, " ", one.adapter_name, " ", one.select_value("SELECT 1"), " ", one.is_a?(ActiveRecord::ConnectionAdapters::PostGISAdapter)
          one.execute("SET work_mem = '5MB'")
          ActiveRecord::Base.release_connection
          print " ", ActiveRecord::Base.lease_connection.select_value("SHOW work_mem") == "5MB"
        end
      RUBY
      private_constant :POSTGIS

      def test_postgis_is_it_by_one_line
        assert_equal "TrunklinePostGISAdapter PostGIS 1 true false", told("require 'trunkline/postgresql'; #{POSTGIS}")
        assert_equal "PostGISAdapter PostGIS 1 true true", told("require 'trunkline/postgresql'; #{POSTGIS}", "TRUNKLINE_POSTGRESQL" => "stock")
        assert_equal "PostGISAdapter PostGIS 1 true true", told("require 'trunkline'; #{POSTGIS}")
        assert_match(/AdapterNotFound/, told("require 'trunkline/postgresql'; ActiveRecord::Base.establish_connection(adapter: 'postgis')"))
      end

      # What Rails is at its boot, as far as it is asked.
      BOOT = 'module Rails; def self.env = "production"; end; application = Struct.new(:config).new(Struct.new(:database_configuration).new(%s)); ' \
             "ActiveSupport.run_load_hooks(:after_initialize, application)"
      private_constant :BOOT

      def test_a_url_that_wins_is_reported
        yaml = '{ "production" => { "adapter" => "trunkline" } }'
        url = { "DATABASE_URL" => "postgres://localhost/app" }
        assert_match(/DATABASE_URL begins with postgres:\/\/, which wins over `adapter: trunkline`.*trunkline:\/\//, told("require 'trunkline'; #{format(BOOT, yaml)}", url))
        assert_match(/wins over/, told("require 'trunkline'; #{format(BOOT, '{ "production" => { "primary" => { "adapter" => "trunkline" }, "other" => {} } }')}", url))
        assert_empty told("require 'trunkline/postgresql'; #{format(BOOT, yaml)}", url)
        assert_empty told("require 'trunkline'; #{format(BOOT, yaml)}", "DATABASE_URL" => "trunkline://localhost/app")
        assert_empty told("require 'trunkline'; ActiveRecord.protocol_adapters.postgres = 'trunkline'; #{format(BOOT, yaml)}", url)
        assert_empty told("require 'trunkline'; #{format(BOOT, '{ "production" => { "adapter" => "postgresql" } }')}", url)
      end

      # activerecord-import requires a file by the adapter's name, and passes over a LoadError.
      def test_what_activerecord_import_looks_for
        program = '$LOADED_FEATURES << File.expand_path("activerecord-import/active_record/adapters/postgresql_adapter.rb", $LOAD_PATH.first); ' \
                  'print require("activerecord-import/active_record/adapters/trunkline_adapter")'
        assert_equal "true", told(program)
      end

      # ros-apartment raises where there is none.
      def test_what_apartment_looks_for
        program = '$LOADED_FEATURES << File.expand_path("apartment/adapters/postgresql_adapter.rb", $LOAD_PATH.first); ' \
                  "module Apartment; module Tenant; def self.postgresql_adapter(config) = config.fetch(:adapter); end; end; " \
                  'require("apartment/adapters/trunkline_adapter"); print Apartment::Tenant.trunkline_adapter({ adapter: "trunkline" })'
        assert_equal "trunkline", told(program)
      end

      def test_gems_that_compare_the_stock_adapters_name_are_named
        start = 'require "trunkline"; ActiveRecord::Base.establish_connection(adapter: "%s", url: ARGV[0].sub("postgres:", "%s:")); ' \
                '%s.each { |name| Gem.loaded_specs[name] = Gem::Specification.new(name) }; ActiveSupport.run_load_hooks(:after_initialize, nil)'
        output = told(format(start, "trunkline", "trunkline", "%w[pay pghero rack]"))
        assert_match(/look for the name postgresql.*: pay makes its columns json and not jsonb; pghero refuses the database \(.*\)\. Write `gem "trunkline", require:/, output)
        all = %w[ahoy_matey database_consistency datadog lockbox newrelic_rpm pay pghero rollups sentry-rails solid_cache strong_migrations]
        assert_equal all, told(format(start, "trunkline", "trunkline", "%w[#{all.join(" ")}]"))[/configuration: (.*)\. Write/, 1].split("; ").map { |deed| deed[/\A\S+/] }
        assert_empty told(format(start, "trunkline", "trunkline", "%w[rack]"))
        assert_empty told(format(start, "postgresql", "postgresql", "%w[pay pghero]"))
      end

      private

      # Begins without ActiveRecord.
      def loading(program, scheme = "postgres")
        NamesTest.empty_programs.run(program, "#{scheme}://postgres@127.0.0.1:#{postgres_server.port}/postgres", environment: { "DATABASE_URL" => nil }).first
      end

      def told(program, environment = {})
        uri = "postgres://postgres@127.0.0.1:#{postgres_server.port}/postgres"
        NamesTest.programs.run(program, uri, environment: { "DATABASE_URL" => nil, **environment }).first
      end
    end
  end
end
