# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # An event loop whose fibers share a connection of ActiveRecord's is warned of, once, with the line to add. In processes of their own.
    class IsolationTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      LIBRARY = File.expand_path("../../../lib", __dir__)
      START = <<~RUBY
        require "bundler/setup"
        require "active_record"
        require "async"
        require "trunkline"
        isolate = ->(level) { ActiveSupport::IsolatedExecutionState.isolation_level = level }
        connect = ->(adapter) { ActiveRecord::Base.establish_connection(adapter: adapter, **%<access>p) }
        start = -> { ActiveSupport.run_load_hooks(:after_initialize) }
        ask = -> { ActiveRecord::Base.lease_connection.tap(&:disconnect!).select_value("SELECT 1") }
        isolate.call(:thread)
        connect.call("trunkline")
      RUBY
      LINE = "add `config.active_support.isolation_level = :fiber` to config/application.rb"
      private_constant :LIBRARY, :START, :LINE

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
        assert_equal [0, 1], %w[:fiber :thread].map { |level| run_program(<<~RUBY, start: "").scan(LINE).size }
          require "bundler/setup"
          require "rails"
          require "active_record/railtie"
          require "async"
          require "trunkline"
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

      def run_program(program, start: format(START, access: access))
        output, status = Open3.capture2e(RbConfig.ruby, "-I#{LIBRARY}", "-e", start + program)
        assert_predicate status, :success?, output
        output
      end
    end
  end
end
