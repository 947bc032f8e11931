# frozen_string_literal: true

require_relative "servers/web_server"

module Trunkline
  module Bench
    # Web servers with the same GraphQL over ActiveRecord, on the stock adapter with several pools and on Trunkline's.
    class GraphqlSides
      RACKUP = File.expand_path("web/graphql.ru", __dir__)
      SERVERS = { "Falcon" => [:falcon, %w[--count 1], "fiber"], "Puma 16 threads" => [:puma, %w[-t 16:16], "fiber"] }.freeze
      # Dataloader, adapter and ActiveRecord's pool.
      SIDES = {
        "Dataloader, pg, pool of 30" => ["plain", "postgresql", 30],
        "AsyncDataloader, pg, pool of 5" => ["async", "postgresql", 5],
        "AsyncDataloader, pg, pool of 30" => ["async", "postgresql", 30],
        "AsyncDataloader, pg, pool of 100" => ["async", "postgresql", 100],
        "Dataloader, Trunkline" => ["plain", "trunkline", 1000],
        "AsyncDataloader, Trunkline" => ["async", "trunkline", 1000]
      }.freeze
      ACCOUNTS = 10_000
      private_constant :RACKUP, :SIDES, :ACCOUNTS

      # @param server [PostgresServer]
      def initialize(server)
        @server = server
        server.psql(<<~SQL)
          CREATE TABLE accounts (id int PRIMARY KEY, balance numeric NOT NULL, name text NOT NULL);
          INSERT INTO accounts SELECT id, id * 1.01, 'Account ' || id FROM generate_series(1, #{ACCOUNTS}) AS id;
          VACUUM ANALYZE;
        SQL
      end

      # Starts each side in turn.
      # @yieldparam name [String]
      # @yieldparam web [WebServer] that takes requests
      # @yieldparam application [String] application_name of its connections
      # @return [Hash{String => Object}] what the block returned for each
      def each
        SERVERS.keys.product(SIDES.keys).to_h do |server, side|
          name = "#{server}: #{side}"
          application = name.delete(",:")
          kind, options, isolation = SERVERS.fetch(server)
          env = environment(application, *SIDES.fetch(side)).merge("ISOLATION" => isolation)
          [name, WebServer.open(kind, RACKUP, env: env, options: options) { |web| yield name, web, application }]
        end
      end

      private

      def environment(application, dataloader, adapter, pool)
        { "CONSOLE_LEVEL" => "fatal", "PGHOST" => @server.socket_directory, "PGPORT" => @server.port.to_s, "PGUSER" => "postgres",
          "PGDATABASE" => "postgres", "PGAPPNAME" => application, "DATALOADER" => dataloader, "ADAPTER" => adapter, "POOL" => pool.to_s }
      end
    end
  end
end
