# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/forked_programs"

module Hosts
  module ActiveRecord
    # An event loop whose fibers share a connection of ActiveRecord's is warned of, once, with the line to add. In processes of their own.
    class IsolationTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      LIBRARY = File.expand_path("../../../lib", __dir__)
      LOADED = %w[bundler/setup active_record async trunkline].freeze
      LOADED_BY_RAILS = %w[bundler/setup rails active_record/railtie async trunkline].freeze
      START = <<~RUBY
        isolate = ->(level) { ActiveSupport::IsolatedExecutionState.isolation_level = level }
        connect = ->(adapter) { ActiveRecord::Base.establish_connection(adapter: adapter, **%<access>p) }
        start = -> { ActiveSupport.run_load_hooks(:after_initialize) }
        ask = -> { ActiveRecord::Base.lease_connection.tap(&:disconnect!).select_value("SELECT 1") }
        isolate.call(:thread)
        connect.call("trunkline")
      RUBY
      LINE = "add `config.active_support.isolation_level = :fiber` to config/application.rb"
      private_constant :LIBRARY, :LOADED, :LOADED_BY_RAILS, :START, :LINE

      # @param loaded [Array<String>] what the programs have required
      def self.programs(loaded)
        @programs ||= Hash.new { |kept, names| kept[names] = ForkedPrograms.of_tests("-I#{LIBRARY}", before: names.map { |name| "require '#{name}'\n" }.join) }
        @programs[loaded]
      end

      def test_at_the_first_connection
        assert_equal 1, run_program("2.times { Sync { ask.call } }").scan(LINE).size
      end

      def test_when_the_application_starts_and_not_where_there_is_no_need
        quiet, told = run_program(<<~RUBY).split("said nothing")
          start.call && ask.call # threads
          connect.call("postgresql")
          Sync { start.call }
          connect.call("trunkline")
          isolate.call(:fiber)
          Sync { start.call && ask.call }
          $stderr.puts "said nothing"
          isolate.call(:thread)
          2.times { Sync { start.call } }
        RUBY
        assert_equal ["", 1], [quiet, told.scan(LINE).size]
      end

      # Rails sets the level after the initializers, and after what the library looks at when the application has started.
      def test_an_application_of_rails_that_starts_in_an_event_loop
        assert_equal [0, 1], %w[:fiber :thread].map { |level| run_program(<<~RUBY, loaded: LOADED_BY_RAILS, start: "").scan(LINE).size }
          class Program < Rails::Application
            config.eager_load = false
            config.logger = Logger.new(nil)
            config.active_support.isolation_level = #{level}
            initializer("asks") { ActiveSupport.on_load(:after_initialize) { ActiveRecord::Base.with_connection { |connection| connection.select_value("SELECT 1") } } }
            initializer("asks early", after: "active_record.initialize_database") { ActiveRecord::Base.with_connection { |connection| connection.select_value("SELECT 1") } }
            def config.database_configuration = { "development" => { "adapter" => "trunkline", **#{access.transform_keys(&:to_s).inspect} } }
          end
          Sync { Program.initialize! }
        RUBY
      end

      private

      def run_program(program, loaded: LOADED, start: format(START, access: access))
        output, success = IsolationTest.programs(loaded).run(start + program)
        assert success, output
        output
      end
    end
  end
end
