# frozen_string_literal: true

require_relative "servers/web_server"

module Trunkline
  module Bench
    # The web servers that are compared: each with the same actions, over pg or over Trunkline.
    class WebSides
      RACKUP = File.expand_path("web/actions.ru", __dir__)
      THIN = %w[--max-persistent-conns 1000 --max-conns 1200].freeze
      SIDES = {
        "Thin, pg" => [:thin, "pg", THIN],
        "Thin, Trunkline in fibers" => [:thin, "trunkline", THIN],
        "Puma 1 thread, pg" => [:puma, "pg", %w[-t 1:1]],
        "Puma 16 threads, pg" => [:puma, "pg", %w[-t 16:16]],
        "Puma 16 threads, Trunkline" => [:puma, "trunkline", %w[-t 16:16]],
        "Falcon, Trunkline" => [:falcon, "trunkline", %w[--count 1]]
      }.freeze
      private_constant :RACKUP, :THIN, :SIDES

      # @param server [PostgresServer]
      # @param connections [Integer] that each side may open
      # @param only [Array<String>] names of sides
      def initialize(server, connections:, only: SIDES.keys)
        @server = server
        @connections = connections
        @only = only
      end

      # Starts each side in turn.
      # @yieldparam name [String]
      # @yieldparam web [WebServer] that takes requests
      # @return [Hash{String => Object}] what the block returned for each
      def each(&block)
        SIDES.slice(*@only).to_h { |name, (kind, client, options)| [name, open(kind, client, options) { |web| block.call(name, web) }] }
      end

      private

      def open(kind, client, options, &block)
        env = { "PGHOST" => @server.socket_directory, "PGPORT" => @server.port.to_s, "PGUSER" => "postgres", "PGDATABASE" => "postgres",
                "CLIENT" => client, "CONNECTIONS" => @connections.to_s, "CONSOLE_LEVEL" => "error" }
        env["FIBERS"] = "1" if kind == :thin && client == "trunkline"
        WebServer.open(kind, RACKUP, env: env, options: options, &block)
      end
    end
  end
end
