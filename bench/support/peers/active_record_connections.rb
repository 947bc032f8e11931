# frozen_string_literal: true

require "active_record"
require "trunkline"
require_relative "../measure"

module Trunkline
  module Bench
    module Peers
      # Connections of ActiveRecord's, on the stock adapter or on Trunkline's.
      class ActiveRecordConnections
        # @param adapter [String] "postgresql" or "trunkline"
        def initialize(uri:, adapter:)
          @url = uri.sub(/\Apostgres(ql)?:/, "#{adapter}:")
        end

        # @return [Array] what three of them say
        def answers
          Array.new(3) { first.checkout.select_value("SELECT 6 * 7") }
        end

        # Takes more of them, where there is one already.
        #
        # @param count [Integer]
        # @return [Hash] wall, cpu, objects; result, how many queries ActiveRecord asked meanwhile
        def measure(count:)
          pool = first
          asked = 0
          told = ActiveSupport::Notifications.subscribe("sql.active_record") { asked += 1 }
          Measure.run { count.times { pool.checkout.connect! } }.merge(result: asked)
        ensure
          ActiveSupport::Notifications.unsubscribe(told)
        end

        private

        # @return [ActiveRecord::ConnectionAdapters::ConnectionPool] a new one, with one connection that has asked
        def first
          ::ActiveRecord::Base.remove_connection
          ::ActiveRecord::Base.establish_connection(url: @url, pool: 1000, reaping_frequency: nil)
          ::ActiveRecord::Base.connection_pool.tap { |pool| pool.checkout.select_value("SELECT 1") }
        end
      end
    end
  end
end
