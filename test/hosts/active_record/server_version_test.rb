# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # ActiveRecord asks for the server's version with a lock of its pool's held. A caller that waited for a connection meanwhile would wait for one
    # that waits for the lock.
    class ServerVersionTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      FEW = { server_connections: 1, max_server_connections: 1, checkout_timeout: 60 }.freeze
      private_constant :FEW

      def test_it_takes_no_connection
        connect(**FEW)
        connect_stock
        Ours.transaction do
          ours.execute("SELECT 1")
          version = Thread.new { Ours.lease_connection.get_database_version }.value
          assert_equal [stock.get_database_version, true], [version, ours.raw_connection.pinned?]
        end
      end

      def test_the_first_one_is_queried_before_the_lock_is_taken
        connect(**FEW)
        asking = nil
        Ours.connection_pool.pool_config.synchronize do
          asking = Thread.new { Ours.lease_connection.execute("SELECT 1") }
          assert(eventually { connections == 1 })
        end
        assert_equal 1, asking.value.ntuples
      end
    end
  end
end
