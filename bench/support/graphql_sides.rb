# frozen_string_literal: true

require_relative "servers/web_server"
require_relative "web_side"

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

      # Starts the sides of one web server, and then those of the next.
      # @yieldparam sides [Hash{String => WebSide}] by name
      # @return [Array<Object>] what the block returned for each web server
      def each(&block)
        SERVERS.keys.map { |server| WebSide.together(SIDES.keys.to_h { |side| ["#{server}: #{side}", opener(server, side)] }, &block) }
      end

      private

      # @return [Array(String, #call)] see {WebSide.together}
      def opener(server, side)
        application = "#{server} #{side}".delete(",")
        kind, options, isolation = SERVERS.fetch(server)
        env = environment(application, *SIDES.fetch(side)).merge("ISOLATION" => isolation)
        [application, ->(&block) { WebServer.open(kind, RACKUP, env: env, options: options, &block) }]
      end

      def environment(application, dataloader, adapter, pool)
        { "CONSOLE_LEVEL" => "fatal", "PGHOST" => @server.socket_directory, "PGPORT" => @server.port.to_s, "PGUSER" => "postgres",
          "PGDATABASE" => "postgres", "PGAPPNAME" => application, "DATALOADER" => dataloader, "ADAPTER" => adapter, "POOL" => pool.to_s }
      end
    end
  end
end
