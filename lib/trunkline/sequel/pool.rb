# frozen_string_literal: true

require_relative "../trunk/lock"
require_relative "connection"
require_relative "holders"
require_relative "options"
require_relative "values"

module Sequel
  module Trunkline
    # What Sequel uses as its connection pool: a client for each server, and the connections of callers that hold one. Datasets do not hold any.
    class Pool < Sequel::ConnectionPool
      # A server: its client and configuration.
      Source = Struct.new(:client, :config)
      Lock = ::Trunkline.const_get(:Lock)
      private_constant :Source, :Lock

      # @return [Integer] connections to one server, at most
      attr_reader :max_size

      # @param db [Database]
      # @param opts [Hash] max_connections, servers and servers_hash
      def initialize(db, opts = Sequel::OPTS)
        super
        @max_size = Options.new(opts).max_connections
        @lock = Lock.new
        @sources = {}
        @prepared = {}
        @shared = {}
        @holders = Holders.new
        @servers = opts.fetch(:servers_hash) { Hash.new(:default) }
        add_servers([:default, *opts[:servers]&.keys])
      end

      # @return [Symbol] Sequel's name for the pool with the same abilities
      def pool_type = db.sharded? ? :sharded_threaded : :threaded

      # @return [Array<Symbol>]
      def servers = sync { @servers.keys }

      # @param servers [Array<Symbol>]
      def add_servers(servers) = sync { servers.each { |server| @servers[server] = server } }

      # @param servers [Array<Symbol>]
      # @raise [Sequel::Error] the default one is among them
      def remove_servers(servers)
        raise Sequel::Error, "cannot remove default server" if servers.include?(:default)

        old = sync { servers.filter_map { |server| [@servers, @shared, @sources].map { |table| table.delete(server) }.last } }
        old.each { |source| source.client.disconnect }
      end

      # Runs the block with a connection that the caller holds, which reserves a server connection at its first query.
      #
      # @param server [Symbol, Hash]
      # @yieldparam conn [Connection]
      # @return [Object] what the block returned
      def hold(server = :default)
        server = pick_server(server)
        conn = @holders.find(server)
        return conn.hold { yield conn } if conn

        @holders.hold(server, ->(holder) { connection(server, holder) }) { |held| yield held }
      end

      # @param server [Symbol, Hash, nil]
      # @return [Connection, Shared] the connection that the caller holds, or else the shared ones
      def connection_for(server)
        server = pick_server(server)
        @holders.find(server) || @shared[server] || share(server)
      end

      # Makes the caller keep a connection until it disconnects, or its thread or fiber ends.
      #
      # @param server [Symbol, Hash]
      # @return [Connection]
      def keep(server) = @holders.keep(server) { |owner| connection(server, owner) }

      # @param server [Symbol, Hash]
      # @param holder [#alive?] has it until it ends
      # @return [Connection]
      def connection(server, holder = Thread.current) = Connection.new(db, source(server), holder)

      # @param server [Symbol, Hash]
      # @return [::Trunkline::Postgres::Client] of the server
      def client(server) = source(server).client

      # @return [Integer] open connections to the server
      def size(server = :default) = client(server).connection_count

      # Closes the connections that are not in use now, and the others when their requests are answered.
      #
      # @param opts [Hash] server: one or several of the servers
      def disconnect(opts = Sequel::OPTS)
        @holders.release
        chosen = opts[:server] ? Array(opts[:server]) : sync { @sources.keys }
        chosen.each { |server| client(server).disconnect }
      end

      # @param name [Symbol] of a prepared statement
      # @return [Boolean] whether it is new with this text, so that it is logged
      def prepare_to_log?(name, sql) = @prepared[name] != sql && !sync { @prepared[name] = sql }.nil? # :nodoc:

      # The converter of a type has changed: connections that decode it as before are closed, and new ones are opened.
      def convert_anew
        old = sync do
          @shared = {}
          @sources.values.tap { @sources = {} }
        end
        old.each { |source| source.client.disconnect }
      end

      # @yieldparam conn [Connection] that the caller holds; shared ones are not yielded
      def all_connections
        servers.each { |server| hold(server) { |conn| yield conn } }
      end

      private

      def sync(&block) = @lock.synchronize(&block)

      # Several callers may make one at once, and all use the first: a server's options may be given as a Proc of the application's, which may wait. One
      # that was made before {convert_anew} is not used after it.
      def source(server)
        sources = @sources
        server = pick_server(server)
        sources[server] || connected(Options.new(db.send(:server_opts, server), server)).then { |made| sync { sources[server] ||= made } }
      end

      def connected(options)
        config = options.config
        Source.new(options.client(config, decode: Values.decoding(db.conversion_procs)), config)
      end

      def pick_server(server) = server.is_a?(Hash) ? server : @servers[server || :default]

      def share(server)
        shared = Shared.new(self, db, server)
        sync { @shared[server] ||= shared }
      end

      def preconnect(_concurrently = false) = servers.each { |server| db.test_connection(server) }
    end
  end
end
