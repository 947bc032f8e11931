# frozen_string_literal: true

require_relative "../config"
require_relative "../socket/tcp"
require_relative "../socket/unix"
require_relative "connection"
require_relative "startup"

module Trunkline
  module Postgres
    # One attempt at one host: a socket, then the handshake on it, within {Config#connect_timeout} altogether.
    class Attempt
      CHUNK = 8192
      private_constant :CHUNK

      # @param config [Config]
      # @param host [Config::Host] one of the config's
      def initialize(config, host)
        @config = config
        @host = host
        @deadline = Socket::Readiness.deadline(config.connect_timeout)
      end

      # Whatever ends this early, an exception or a cancelled fiber, leaves no open socket.
      #
      # @return [Connection]
      # @raise [ConnectionError] when there is no server, it does not answer in time, or it goes away
      # @raise [ServerError] when the server refuses: InvalidPassword, InvalidCatalogName, TooManyConnections, ...
      # @raise [ProtocolError] when whoever answers is no PostgreSQL server
      # @raise [ConfigError] when the callable for the password returns nonsense
      def connect
        @io = open
        shake_hands
        connection = Connection.new(@io, @startup, @host.server)
      ensure
        @io&.close unless connection
      end

      private

      def open
        return Socket::Unix.connect(@host.socket_path, @deadline, server: @host.server) if @host.unix_socket?

        Socket::TCP.connect(@host.hostaddr || @host.host, @host.port, @deadline, server: @host.server)
      end

      def shake_hands
        @startup = Startup.new(user: @config.user, dbname: @config.dbname, password: -> { @config.password(@host) },
                               settings: @config.session)
        write(@startup.message)
        write(@startup.receive(read)) until @startup.ready?
      rescue ServerError => error
        raise ServerError.from_fields(error.fields, server: @host.server), cause: nil
      rescue ConnectionError, ProtocolError => error
        raise error.class.new(error.message, server: @host.server, retriable: error.retriable?), cause: error.cause
      end

      # A server that refuses may have closed its end before it has read everything. What went wrong is for {#read} to
      # tell: the server's reason may be there.
      def write(bytes)
        until bytes.empty?
          written = @io.write_nonblock(bytes, exception: false)
          if written == :wait_writable
            in_time(Socket::Readiness.wait_writable(@io, @deadline))
          else
            bytes = bytes.byteslice(written..)
          end
        end
      rescue SystemCallError
        nil
      end

      def read
        loop do
          bytes = @io.read_nonblock(CHUNK, exception: false)
          return bytes || raise(@startup.end_of_stream) unless bytes == :wait_readable

          in_time(Socket::Readiness.wait_readable(@io, @deadline))
        end
      rescue Errno::ECONNRESET
        raise @startup.end_of_stream
      rescue SystemCallError => error
        reason = SystemCallError.new(nil, error.errno).message.downcase
        raise ConnectionError, "the connection broke during #{@startup.stage}: #{reason}"
      end

      def in_time(ready)
        return if ready

        timeout = format("%g s (connect_timeout)", @config.connect_timeout)
        raise ConnectionError, "no answer within #{timeout} during #{@startup.stage}"
      end
    end

    private_constant :Attempt
  end
end
