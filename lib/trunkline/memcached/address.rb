# frozen_string_literal: true

require_relative "../errors"

module Trunkline
  module Memcached
    # The address of a server, and its weight in the distribution of keys.
    class Address
      DEFAULT_PORT = 11_211 # memcached's own
      SERVERS = "MEMCACHE_SERVERS"
      PARTS = /\A(?:\[(?<address>[\w:.%]+)\]|(?<host>[^:\[\]]+))(?::(?<first>\d+))?(?::(?<second>\d+))?\z/
      SCHEME = "memcached://"
      private_constant :SERVERS, :PARTS, :SCHEME

      # @param servers [String, Array<String>, nil] "host", "host:port", "host:port:weight", "[::1]:11211", "/a/socket",
      #   "/a/socket:weight" or "memcached://host:port", several separated by commas; nil: those of MEMCACHE_SERVERS,
      #   or the one on this machine
      # @return [Array<Address>] at least one
      # @raise [ConfigError] one is invalid, or occurs twice
      def self.all(servers)
        servers = ENV.fetch(SERVERS, "127.0.0.1:#{DEFAULT_PORT}") if servers.nil? || servers == []
        wrong = [*servers].reject { |server| String === server }
        raise ConfigError, "a server is a String, as \"host:port\", not #{Argument.shown(wrong.first)}" unless wrong.empty?

        addresses = [*servers].flat_map { |server| server.split(",") }.map { |server| parse(server.strip) }
        raise ConfigError, "no server is given" if addresses.empty?

        twice = addresses.map(&:name).tally.key(2) or return addresses
        raise ConfigError, "the server #{twice} is given twice"
      end

      # @param text [String] one server, see {all}
      # @return [Address]
      def self.parse(text)
        refuse_credentials(text)
        refuse_service_names(text)
        parts = PARTS.match(text.delete_prefix(SCHEME).delete_suffix("/"))
        raise ConfigError, "#{text.inspect} is no server: \"host:port\" or \"/path/of/a/socket\"" unless parts
        return unix(parts) if parts[:host]&.start_with?("/")

        new(parts[:address] || parts[:host], (parts[:first] || DEFAULT_PORT).to_i, (parts[:second] || 1).to_i)
      end

      def self.unix(parts)
        raise ConfigError, "a Unix socket has a weight, but no port: #{parts[0].inspect}" if parts[:second]

        new(parts[:host], nil, (parts[:first] || 1).to_i)
      end

      def self.refuse_credentials(text)
        return unless text.start_with?(SCHEME) && text.include?("@")

        raise ConfigError, "user and password are no part of a server here: give them as username: and password: (ASCII authentication, memcached -Y)"
      end
      # An SRV record names a service: "_memcached._tcp.example.com", or a URI whose scheme contains srv.
      def self.refuse_service_names(text)
        return unless text.match?(/\A_[^.:]+\._(tcp|udp)\./i) || text[/\A[a-z+]+(?=:\/\/)/i]&.match?(/srv/i)

        raise ConfigError, "#{text.inspect} names an SRV record, which is not looked up here: give each server as \"host:port\""
      end
      private_class_method :unix, :refuse_credentials, :refuse_service_names

      # @return [String] a name, an address, or the path of a Unix socket
      attr_reader :host

      # @return [Integer, nil] nil: a Unix socket
      attr_reader :port

      # @return [Integer] its share of the keys, relative to a server with weight 1
      attr_reader :weight

      def initialize(host, port, weight)
        raise ConfigError, "a port lies between 1 and 65535, and #{port} does not" unless port.nil? || port.between?(1, 65_535)
        raise ConfigError, "the weight of #{host} must be positive" unless weight.positive?

        @host = host.dup.freeze
        @port = port
        @weight = weight
        freeze
      end

      def unix? = port.nil?

      # @return [String] "host:port" or the socket's path: its name in errors, which also determines its points on the ring
      def name = unix? ? host : "#{host}:#{port}"
    end
  end
end
