# frozen_string_literal: true

require_relative "servers/web_server"
require_relative "web_side"

module Trunkline
  module Bench
    # Web servers with the same actions over ActiveRecord, on the stock adapter and on Trunkline's.
    class ActiveRecordSides
      WEB = File.expand_path("web", __dir__)
      ADAPTERS = { "pg" => "postgresql", "Trunkline" => "trunkline" }.freeze
      SERVERS = {
        "Falcon" => [:falcon, %w[--count 1], "fiber"],
        "Puma 16 threads" => [:puma, %w[-t 16:16], "thread"],
        "Puma 128 threads" => [:puma, %w[-t 128:128], "thread"],
        "Puma 512 threads" => [:puma, %w[-t 512:512], "thread"]
      }.freeze
      ACCOUNTS = 10_000
      ENTRIES = 5 # of each account
      private_constant :WEB, :ADAPTERS, :ACCOUNTS, :ENTRIES

      # @param server [PostgresServer]
      def initialize(server)
        @server = server
        server.psql(<<~SQL)
          CREATE TABLE accounts (id int PRIMARY KEY, branch int NOT NULL, balance numeric NOT NULL, name text NOT NULL, created_at timestamp NOT NULL);
          INSERT INTO accounts SELECT id, id % 10, id * 1.01, 'Account ' || id, '2024-01-01'::timestamp + id * interval '1 minute'
            FROM generate_series(1, #{ACCOUNTS}) AS id;
          CREATE TABLE entries (id serial PRIMARY KEY, account_id int NOT NULL, kind int NOT NULL, amount numeric NOT NULL);
          INSERT INTO entries (account_id, kind, amount) SELECT account, CASE account WHEN 1 THEN 1 ELSE 2 END, account * 0.5
            FROM generate_series(1, #{ACCOUNTS}) AS account, generate_series(1, #{ENTRIES});
          CREATE INDEX ON entries (account_id);
          CREATE INDEX ON entries (kind);
          VACUUM ANALYZE;
        SQL
      end

      # Starts the sides of one web server, which run beside each other, and then those of the next; and a server that they can ask.
      #
      # @param servers [Array<String>] of SERVERS
      # @param most [Integer] connections that ours may open
      # @yieldparam sides [Hash{String => WebSide}] by name
      # @return [Array<Object>] what the block returned for each web server
      def each(servers, most:, &block)
        WebServer.open(:falcon, File.join(WEB, "upstream.ru"), env: quiet, options: %w[--count 1]) do |upstream|
          servers.map { |server| WebSide.together(ADAPTERS.keys.to_h { |client| ["#{server}, #{client}", opener(server, client, most, upstream)] }, &block) }
        end
      end

      private

      # @return [Array(String, #call)] see {WebSide.together}
      def opener(server, client, most, upstream)
        application = "#{server} #{client} #{most}"
        kind, options, isolation = SERVERS.fetch(server)
        env = { **environment(most, upstream, application), "ISOLATION" => isolation, "ADAPTER" => ADAPTERS.fetch(client) }
        [application, ->(&block) { WebServer.open(kind, File.join(WEB, "active_record.ru"), env: env, options: options, &block) }]
      end

      def environment(most, upstream, application)
        { **quiet, "PGHOST" => @server.socket_directory, "PGPORT" => @server.port.to_s, "PGUSER" => "postgres", "PGDATABASE" => "postgres",
          "PGAPPNAME" => application, "ACCOUNTS" => ACCOUNTS.to_s, "MAX_SERVER_CONNECTIONS" => most.to_s,
          "UPSTREAM" => "http://127.0.0.1:#{upstream.port}/" }
      end

      def quiet = { "CONSOLE_LEVEL" => "error" }
    end
  end
end
