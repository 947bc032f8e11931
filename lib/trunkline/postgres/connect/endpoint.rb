# frozen_string_literal: true

require "etc"
require_relative "../../socket/tcp"
require_relative "../../socket/unix"

module Trunkline
  module Postgres
    # The address of a server, and how to connect to it.
    class Endpoint
      # @return [String] "host:port/dbname", for messages
      attr_reader :server

      # @param config [Config]
      # @param host [Config::Host] one of the config's
      # @param address [String] the host's name or address
      # @param encryption [Encryption, nil] nil: in the clear
      def initialize(config, host, address = host.hostaddr || host.host, encryption = nil)
        @config = config
        @host = host
        @address = address.freeze
        @encryption = encryption
        @server = host.server
        freeze
      end

      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @param tcp_answer [Float, nil] seconds within which the TCP connection must be accepted
      # @yieldparam addresses [Array<Addrinfo>] of the name
      # @yieldreturn [Array<Addrinfo>] the same, in the order in which they are tried
      # @return [::Socket, OpenSSL::SSL::SSLSocket] connected, non-blocking; nothing was sent yet
      # @raise [ConnectionError, ProtocolError, ConfigError]
      def open(deadline, tcp_answer: nil, &order)
        return open_unix(deadline) if @host.unix_socket?

        io = open_tcp(deadline, tcp_answer, &order)
        opened = @encryption ? encrypt(io, deadline) : io
      ensure
        io&.close unless opened
      end

      # A name may have several addresses, which may be several servers.
      #
      # @param io [::Socket, OpenSSL::SSL::SSLSocket] connected to this endpoint
      # @param encryption [Encryption, nil] of the connection
      # @return [Endpoint] for the address that the connection has, with the same encryption
      def narrowed(io, encryption) = @host.unix_socket? ? self : Endpoint.new(@config, @host, address_of(io.to_io), encryption)

      private

      # A peer that has closed the connection has no address any more.
      def address_of(socket)
        socket.remote_address.ip_address
      rescue Errno::ENOTCONN
        @address
      end

      def open_tcp(deadline, answer, &order)
        Socket::TCP.connect(@address, @host.port, deadline, server: server, keepalive: keepalive, answer: answer,
                                                            random: (Random if @config.load_balance_hosts == "random"), &order)
      end

      def encrypt(io, deadline)
        return @encryption.shake_hands(io, deadline) if @encryption.agreed?(io, deadline)

        raise ConnectionError.new("the server does not support encryption any more", server: server)
      end

      def keepalive
        Socket::Keepalive.new(on: @config.keepalives, idle: @config.keepalives_idle, interval: @config.keepalives_interval,
                              count: @config.keepalives_count, user_timeout: @config.tcp_user_timeout)
      end

      def open_unix(deadline)
        io = Socket::Unix.connect(@host.socket_path, deadline, server: server)
        check_peer(io) if @config.requirepeer
        checked = io
      ensure
        io&.close unless checked
      end

      def check_peer(io)
        id, = io.getpeereid
        return if @config.requirepeer == name_of(id)

        message = "the server runs as the user #{name_of(id).inspect}, and requirepeer requires #{@config.requirepeer.inspect}"
        raise ConnectionError.new(message, server: server, retriable: false)
      end

      def name_of(id)
        Etc.getpwuid(id).name
      rescue ArgumentError # no user has this ID
        id.to_s
      end
    end

    private_constant :Endpoint
  end
end
