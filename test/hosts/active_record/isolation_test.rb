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

      private

      def run_program(program)
        output, status = Open3.capture2e(RbConfig.ruby, "-I#{LIBRARY}", "-e", format(START, access: access) + program)
        assert_predicate status, :success?, output
        output
      end
    end
  end
end
