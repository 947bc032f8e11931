# frozen_string_literal: true

require_relative "isolated"
require_relative "servers/tls_authority"
require_relative "servers/web_server"
require_relative "web_side"
require_relative "../../test/support/pgbouncer"

module Trunkline
  module Bench
    # A shop in Rails under web servers, over a link with TLS: on the stock adapter, directly and by a PgBouncer beside the database, and on Trunkline's.
    class ShopSides
      RACKUP = File.expand_path("web/shop.ru", __dir__)
      SERVERS = {
        "Puma 5 threads" => [:puma, %w[-t 5:5], "thread"], "Puma 16 threads" => [:puma, %w[-t 16:16], "thread"], "Falcon" => [:falcon, %w[--count 1], "fiber"]
      }.freeze
      # Adapter, ActiveRecord's pool, and whether a PgBouncer is in between. The stock adapter has a connection for each thread or fiber, and for each of load_async's.
      ADAPTERS = { "pg" => ["postgresql", 60, false], "pg, PgBouncer" => ["postgresql", 60, true], "Trunkline" => ["trunkline", 1000, false] }.freeze
      # A further one, whose callers wait so many seconds for a server that is away.
      WAITING = "Trunkline, failover_wait"
      ALL = { **ADAPTERS, WAITING => [*ADAPTERS.fetch("Trunkline"), { "FAILOVER_WAIT" => "10" }] }.freeze
      POOLED = 8 # server connections of PgBouncer's
      CLIENTS = 200
      private_constant :RACKUP, :POOLED, :CLIENTS

      # @param server [PostgresServer] that encrypts
      def initialize(server)
        @server = server
        server.psql(<<~SQL)
          CREATE TABLE categories (id int PRIMARY KEY, name text NOT NULL);
          CREATE TABLE products (id int PRIMARY KEY, category_id int NOT NULL, name text NOT NULL, price numeric NOT NULL);
          CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL);
          CREATE TABLE reviews (id int PRIMARY KEY, product_id int NOT NULL, author_id int NOT NULL, stars int NOT NULL, body text NOT NULL);
          CREATE TABLE sales (id int PRIMARY KEY, product_id int NOT NULL, pieces int NOT NULL);
          CREATE TABLE views (id bigserial PRIMARY KEY, product_id int NOT NULL);
          INSERT INTO categories SELECT id, 'Category ' || id FROM generate_series(1, 20) AS id;
          INSERT INTO products SELECT id, 1 + id % 20, 'Product ' || id, id * 1.25 FROM generate_series(1, 2000) AS id;
          INSERT INTO authors SELECT id, 'Author ' || id FROM generate_series(1, 500) AS id;
          INSERT INTO reviews SELECT id, 1 + id % 2000, 1 + id % 500, 1 + id % 5, repeat('Very good. ', 10) FROM generate_series(1, 20000) AS id;
          INSERT INTO sales SELECT id, 1 + id % 2000, 1 + id % 7 FROM generate_series(1, 100000) AS id;
          CREATE INDEX ON products (category_id, price);
          CREATE INDEX ON reviews (product_id);
          CREATE INDEX ON sales (product_id);
          VACUUM ANALYZE;
        SQL
      end

      # Starts the sides of each web server, which run beside each other, so that they can be measured in turns.
      #
      # @param delay [Float] seconds that the link adds to a round trip
      # @yieldparam sides [Hash{String => WebSide}] by name
      # @return [Array<Object>] what the block returned for each web server
      def each_server(delay:, &block)
        SERVERS.keys.map { |server| WebSide.together(ADAPTERS.keys.to_h { |adapter| ["#{server}, #{adapter}", opener(server, adapter, delay)] }, &block) }
      end

      # Starts each side in turn.
      #
      # @param delay [Float, nil] seconds that the link adds to a round trip; nil: there is no link
      # @param servers [Array<String>] of SERVERS
      # @param adapters [Array<String>] of ALL
      # @yieldparam name [String]
      # @yieldparam web [WebServer] that takes requests
      # @return [Hash{String => Object}] what the block returned for each
      def each(delay:, servers: SERVERS.keys, adapters: ADAPTERS.keys)
        servers.product(adapters).to_h do |server, adapter|
          name = "#{server}, #{adapter}"
          [name, opener(server, adapter, delay).last.call { |web| yield name, web }]
        end
      end

      private

      # @return [Array(String, #call)] see {WebSide.together}
      def opener(server, adapter, delay)
        application = "#{server} #{adapter}".delete(",")
        [application, ->(&block) { start(*SERVERS.fetch(server), *ALL.fetch(adapter), delay: delay, application: application, &block) }]
      end

      def start(kind, options, isolation, adapter, pool, pooled, settings = {}, delay:, application:, &block)
        behind(pooled) do |port|
          linked(port, delay) do |place|
            env = { "CONSOLE_LEVEL" => "fatal", "RAILS_ENV" => "production", "RACK_ENV" => "production", "ISOLATION" => isolation, "ADAPTER" => adapter,
                    "POOL" => pool.to_s, "PREPARED" => (!pooled).to_s, "PORT_OF_SERVER" => place.to_s, "PGAPPNAME" => application, **settings }
            WebServer.open(kind, RACKUP, env: env, options: options, &block)
          end
        end
      end

      # The pooler has the server's certificate.
      def behind(pooled)
        return yield @server.port unless pooled

        tls = { client_tls_sslmode: "require", client_tls_key_file: TLSAuthority.shared.path("server.key"), client_tls_cert_file: TLSAuthority.shared.path("server.crt") }
        PgBouncer.open(@server, pool: POOLED, clients: CLIENTS, **tls) { |pooler| yield pooler.port }
      end

      def linked(port, delay)
        return yield port unless delay

        link = Isolated.new("slow_link", port: port, delay: delay)
        yield link.call(:port)
      ensure
        link&.close
      end
    end
  end
end
