# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"

module Trunkline
  module Postgres
    # What is concluded from a connection's end, before anything is asked.
    class IdleTimeoutTest < TestCase
      IDLE_TIMEOUT = Postgres.const_get(:IdleTimeout)
      Client = Struct.new(:ending, :idle_limit)
      Ending = Struct.new(:error, :idle)
      # It may not be asked, and is not closed.
      TRUNK = Object.new.freeze
      private_constant :IDLE_TIMEOUT, :Client, :Ending, :TRUNK

      def limit_after(code, message, idle, known = Float::INFINITY)
        error = BackendMessages.error("E", S: "FATAL", V: "FATAL", C: code, M: message).byteslice(5..)
        pool = Client.new(Ending.new(error, idle), known)
        assert_same TRUNK, IDLE_TIMEOUT.apply(pool, TRUNK, nil)
        pool.idle_limit
      end

      def test_no_connection_has_ended
        pool = Client.new(nil, Float::INFINITY)
        assert_same TRUNK, IDLE_TIMEOUT.apply(pool, TRUNK, nil)
        assert_equal Float::INFINITY, pool.idle_limit
      end

      # It does not tell its timeout, which is no longer than that.
      def test_ended_by_pgbouncer
        assert_in_delta 90, limit_after("08P01", "client_idle_timeout", 100.0)
        assert_in_delta 45, limit_after("08P01", "client_idle_timeout", 50.0, 90)
      end

      def test_ended_otherwise
        assert_equal Float::INFINITY, limit_after("57P01", "terminating connection due to administrator command", 100.0)
      end

      def test_ended_later_than_was_known
        assert_equal 30, limit_after("57P05", "terminating connection due to idle-session timeout", 30.5, 30)
      end
    end
  end
end
