# frozen_string_literal: true

require_relative "../config"
require_relative "../socket/stream"
require_relative "connection"
require_relative "startup"
require_relative "target"

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
        @target = Target.new(host)
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
        @io = @target.open(@deadline)
        shake_hands
        connection = Connection.new(@io, @startup, @target.narrowed(@io))
      ensure
        @io&.close unless connection
      end

      private

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
        in_time(Socket::Stream.write(@io, bytes, @deadline))
      rescue SystemCallError
        nil
      end

      def read
        bytes = Socket::Stream.read(@io, CHUNK, @deadline)
        in_time(bytes != false)
        bytes || raise(@startup.end_of_stream)
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
