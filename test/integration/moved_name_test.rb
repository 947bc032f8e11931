# frozen_string_literal: true

require "test_helper"
require "support/resolver"
require "support/server_pair"

module Trunkline
  # One name for a cluster, which is moved to another server.
  class MovedNameTest < TestCase
    include Resolver
    include ServerPair

    NAME = "db.example"
    private_constant :NAME

    # The name leads to a standby for a while: callers wait until it is promoted, or the name is moved on.
    def test_writers_wait_for_the_name
      with_pair do |primary, standby|
        with_name(primary) do |names|
          Trunkline.postgres(uri(target_session_attrs: "read-write"), connections: 2, failover_wait: 600) do |db|
            assert_equal primary.port, port_of(db)
            names[NAME] = address(standby)
            db.disconnect
            callers = Array.new(2) { Thread.new { port_of(db) } } << Thread.new { db.transaction { |tx| port_of(tx) } }
            assert eventually { db.stats[:queue].values_at(:length, :alone).sum >= 2 }
            names[NAME] = address(primary)
            assert_equal [primary.port] * 3, callers.map(&:value)
          end
        end
      end
    end

    # A connection that was opened before stays at the standby until a write is refused there.
    def test_a_write_goes_where_the_name_leads_by_now
      with_pair do |primary, standby|
        primary.psql("CREATE TABLE tokens (token text)")
        replayed(primary, standby)
        with_name(standby) do |names|
          Trunkline.postgres(uri) do |db|
            assert_equal standby.port, port_of(db)
            names[NAME] = address(primary)
            db.query("INSERT INTO tokens VALUES ('moved')")
            assert_equal ["moved\n", primary.port], [primary.psql("SELECT token FROM tokens"), port_of(db)]
          end
        end
      end
    end

    private

    def with_name(server)
      names = { NAME => address(server) }
      resolving(names) { yield names }
    end

    # With the server's port, whichever was asked for.
    def address(server) = Addrinfo.tcp("127.0.0.1", server.port)

    def uri(**options) = "postgresql://postgres@#{NAME}:5432/postgres?#{options.map { |name, value| "#{name}=#{value}" }.join("&")}"
  end
end
