# frozen_string_literal: true

require_relative "servers/web_server"
require_relative "web_side"
require_relative "../../rakelib/newer_ruby"

module Trunkline
  module Bench
    # Rage servers with the same actions over ActiveRecord, on the stock adapter with several pools and on Trunkline's. On an older Ruby
    # than Rage's they run in a Debian root that has a newer one.
    class RageSides
      RACKUP = "bench/support/web/rage/config.ru" # from the sources' folder
      UPSTREAM = File.expand_path("web/upstream.ru", __dir__)
      # Adapter and ActiveRecord's pool.
      SIDES = { "pg, pool of 5" => ["postgresql", 5], "pg, pool of 30" => ["postgresql", 30], "pg, pool of 100" => ["postgresql", 100], "Trunkline" => ["trunkline", 1000] }.freeze
      ACCOUNTS = 10_000
      UPSTREAM_SECONDS = 1
      VERSIONS = 'puts RUBY_VERSION, Gem.loaded_specs.values_at("rage-rb", "activerecord").map(&:version)'
      IN = 'cd "$1" && shift && exec "$@"'
      private_constant :RACKUP, :UPSTREAM, :SIDES, :ACCOUNTS, :UPSTREAM_SECONDS, :VERSIONS, :IN

      # @param server [PostgresServer]
      # @raise [RuntimeError] there is no Ruby here that is new enough, and none can be made ready
      def initialize(server)
        @server = server
        server.psql(<<~SQL)
          CREATE TABLE accounts (id int PRIMARY KEY, random_number int NOT NULL);
          INSERT INTO accounts SELECT id, id * 7 % 10000 FROM generate_series(1, #{ACCOUNTS}) AS id;
          VACUUM ANALYZE;
        SQL
        @newer = NewerRuby.new.tap(&:prepare) if RUBY_VERSION < NewerRuby::VERSION
      end

      # @return [Hash{String => String}] versions of Ruby and of Rage
      def versions
        ["ruby of Rage", "rage-rb", "activerecord"].zip(IO.popen([environment, *program, "ruby", "-rbundler/setup", "-e", VERSIONS], &:read).split).to_h
      end

      # Starts the sides, which run beside each other, and a server that takes a second for each answer.
      # @yieldparam sides [Hash{String => WebSide}] by name
      # @return [Object] what the block returned
      def together(&block)
        WebServer.open(:falcon, UPSTREAM, env: { "CONSOLE_LEVEL" => "error", "SECONDS" => UPSTREAM_SECONDS.to_s }, options: %w[--count 1]) do |upstream|
          WebSide.together(SIDES.to_h { |name, (adapter, pool)| [name, opener(name, adapter, pool, upstream)] }, &block)
        end
      end

      private

      # @return [Array(String, #call)] see {WebSide.together}
      def opener(name, adapter, pool, upstream)
        application = "Rage #{name}".delete(",")
        env = { **environment, "PGHOST" => @server.socket_directory, "PGPORT" => @server.port.to_s, "PGUSER" => "postgres", "PGDATABASE" => "postgres",
                "PGAPPNAME" => application, "ADAPTER" => adapter, "POOL" => pool.to_s, "UPSTREAM" => "http://127.0.0.1:#{upstream.port}/" }
        [application, ->(&block) { WebServer.open(:rage, rackup, env: env, program: [*program, "bundle", "exec", "rage"], &block) }]
      end

      def environment = @newer ? @newer.environment : {}

      def rackup = @newer ? File.join(@newer.folder, RACKUP) : File.expand_path("../../#{RACKUP}", __dir__)

      # @return [Array<String>] what goes before a command that runs in the application's folder
      def program = [*(@newer ? @newer.command(shared: [@server.socket_directory]) : []), "sh", "-c", IN, "sh", File.dirname(rackup)]
    end
  end
end
