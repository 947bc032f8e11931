# frozen_string_literal: true

require_relative "../../bench/support/servers/postgres_server"
require_relative "eventually"

module Trunkline
  # A primary and a hot standby of it, for the tests of clients with several hosts.
  module ServerPair
    include Eventually

    # @yieldparam primary [Bench::PostgresServer]
    # @yieldparam standby [Bench::PostgresServer]
    def with_pair(**options)
      with_server(**options) do |primary|
        standby = Bench::PostgresServer.start_standby(primary)
        yield primary, standby
      ensure
        standby&.discard
      end
    end

    # @param servers [Array<Bench::PostgresServer>]
    # @param options [Hash] of the connection string
    # @return [String] a connection URI with all of them, over Unix sockets
    def hosts_uri(*servers, user: "postgres", **options)
      list = { host: servers.map(&:socket_directory).join(","), port: servers.map(&:port).join(","), **options }
      "postgresql://#{user}@/postgres?#{list.map { |name, value| "#{name}=#{value}" }.join("&")}"
    end

    # Waits until the standby has all that the primary has written.
    def replayed(primary, standby)
      written = primary.psql("SELECT pg_current_wal_insert_lsn()").chomp
      assert eventually { standby.psql("SELECT pg_last_wal_replay_lsn() >= '#{written}'") == "t\n" }
    end

    # Promotes the standby, when it has all that the primary has written.
    def promote(standby, primary)
      replayed(primary, standby)
      standby.psql("SELECT pg_promote()")
    end

    # @param db [Postgres::Client, Postgres::Session]
    # @return [Integer] the port of the server that answers
    def port_of(db) = db.value("SELECT current_setting('port')::int")
  end
end
