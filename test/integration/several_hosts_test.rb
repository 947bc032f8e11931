# frozen_string_literal: true

require "test_helper"
require "support/server_pair"

module Trunkline
  # A primary and a hot standby of it.
  class SeveralHostsTest < TestCase
    include ServerPair

    # What of a pair (primary, standby), in either order, each value of target_session_attrs leads to.
    REACHED = {
      "any" => %i[first first], "read-write" => %i[primary primary], "read-only" => %i[standby standby],
      "primary" => %i[primary primary], "standby" => %i[standby standby], "prefer-standby" => %i[standby standby]
    }.freeze
    private_constant :REACHED

    # @return [PostgresServer] the one that was connected to
    def reached(*servers, wanted, **options)
      Trunkline.postgres(hosts_uri(*servers, target_session_attrs: wanted), **options) do |db|
        port = unhurried { port_of(db) }
        servers.find { |server| server.port == port }
      end
    end

    def test_a_primary_and_its_standby
      with_pair do |primary, standby|
        leads_where_it_should(primary, standby)
        refuses_what_is_not_there(primary, standby)
        follows_a_failover(primary, standby)
      end
    end

    private

    def leads_where_it_should(primary, standby)
      names = { primary: primary, standby: standby }
      REACHED.each do |wanted, expected|
        [[primary, standby], [standby, primary]].zip(expected) do |servers, name|
          assert_same names.fetch(name, servers.first), reached(*servers, wanted), "#{wanted}: #{name}"
        end
      end
      assert_same primary, reached(primary, "prefer-standby")
    end

    def refuses_what_is_not_there(primary, standby)
      reader = assert_raises(UnsuitableServer) { reached(standby, "read-write") }
      assert_equal "its sessions are read-only, and target_session_attrs requires read-write (server #{standby.socket_directory}:" \
                   "#{standby.port}/postgres)", reader.message
      read_only = { options: "-c default_transaction_read_only=on" }
      assert_equal [UnsuitableServer] * 2, assert_raises(ConnectionError) { reached(standby, primary, "read-write", **read_only) }.reasons.map(&:class)
      assert_same primary, reached(primary, "read-only", **read_only)
    end

    def follows_a_failover(primary, standby)
      Trunkline.postgres(hosts_uri(primary, standby, target_session_attrs: "read-write")) do |db|
        assert_equal primary.port, db.value("SELECT current_setting('port')::int")
        primary.stop
        error = assert_raises(ConnectionError) { reached(primary, standby, "read-write") }
        assert_equal [ConnectionError, UnsuitableServer], error.reasons.map(&:class)
        standby.psql("SELECT pg_promote()")
        assert_equal standby.port, db.value("SELECT current_setting('port')::int")
      end
    end
  end
end
