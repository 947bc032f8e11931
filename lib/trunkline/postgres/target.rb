# frozen_string_literal: true

require_relative "../socket/tcp"
require_relative "../socket/unix"

module Trunkline
  module Postgres
    # Where a connection goes.
    class Target
      # @return [String] "host:port/dbname", for messages
      attr_reader :server

      # @param host [Config::Host]
      # @param address [String] what of the host is connected to: a name or an address
      def initialize(host, address = host.hostaddr || host.host)
        @host = host
        @address = address.freeze
        @server = host.server
        freeze
      end

      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @return [::Socket] connected, non-blocking, nothing said yet
      # @raise [ConnectionError]
      def open(deadline)
        return Socket::Unix.connect(@host.socket_path, deadline, server: server) if @host.unix_socket?

        Socket::TCP.connect(@address, @host.port, deadline, server: server)
      end

      # A name may have several addresses, and so be several servers.
      #
      # @param io [::Socket] connected to this target
      # @return [Target] the one address at which it arrived
      def narrowed(io) = @host.unix_socket? ? self : Target.new(@host, io.remote_address.ip_address)
    end

    private_constant :Target
  end
end
