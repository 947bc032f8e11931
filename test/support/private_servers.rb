# frozen_string_literal: true

require_relative "../../bench/support/servers/postgres_server"

module Trunkline
  # The private servers of the tests, started on first use, removed with the process.
  module PrivateServers
    SETTINGS = { "max_connections" => "200", "max_prepared_transactions" => "4" }.freeze
    private_constant :SETTINGS

    @lock = Mutex.new

    # @return [Bench::PostgresServer] the one that all tests share; leave it as you found it
    def self.postgres
      @lock.synchronize { @postgres ||= Bench::PostgresServer.start(settings: SETTINGS) }
    end

    # @return [Bench::PostgresServer] the shared server
    def postgres_server = PrivateServers.postgres

    # A client of the shared server, closed after the block.
    # @param options [Hash] keywords of Trunkline.postgres
    # @yieldparam db [Trunkline::Postgres::Client]
    def with_client(**options, &block)
      Trunkline.postgres(postgres_server.uri, **options, &block)
    end

    # A server of the test's own, removed after the block.
    # @param options [Hash] keywords of Bench::PostgresServer.start
    # @yieldparam server [Bench::PostgresServer]
    def with_server(**options)
      server = Bench::PostgresServer.start(**options)
      yield server
    ensure
      server&.discard
    end
  end
end
