# frozen_string_literal: true

require_relative "../config"
require_relative "../socket/stream"
require_relative "connection"
require_relative "server_type"
require_relative "startup"
require_relative "target"

module Trunkline
  module Postgres
    # One attempt at one host: a socket, the handshake on it, and a look at what kind of server it is, within
    # {Config#connect_timeout} altogether, and within the present deadline.
    class Attempt
      CHUNK = 8192
      FAREWELL = ["X", 4].pack("aN").freeze
      private_constant :CHUNK, :FAREWELL

      # @param config [Config]
      # @param host [Config::Host] one of the config's
      # @param wanted [String] the kind of server: any, read-write, read-only, primary or standby
      def initialize(config, host, wanted = "any")
        @config = config
        @host = host
        @wanted = wanted
        @target = Target.new(config, host)
        @deadline = [Socket::Readiness.deadline(config.connect_timeout), Deadlines.present].compact.min
      end

      # Whatever ends this early, an exception or a cancelled fiber, leaves no open socket.
      #
      # @return [Connection]
      # @raise [ConnectionError] when there is no server, it does not answer in time, or it goes away
      # @raise [UnsuitableServer] when it is not of the wanted kind
      # @raise [ServerError] when the server refuses: InvalidPassword, InvalidCatalogName, TooManyConnections, ...
      # @raise [ProtocolError] when whoever answers is no PostgreSQL server
      # @raise [ConfigError] when the callable for the password returns nonsense
      def connect
        @io = @target.open(@deadline)
        named_errors do
          shake_hands
          check_server
        end
        connection = Connection.new(@io, @startup, @target.narrowed(@io), @server_type.leftover)
      ensure
        @io&.close unless connection
      end

      private

      def shake_hands
        @startup = Startup.new(user: @config.user, dbname: @config.dbname, password: -> { @config.password(@host) },
                               settings: @config.session)
        write(@startup.message)
        write(@startup.receive(read)) until @startup.ready?
      end

      def check_server
        @server_type = ServerType.new(@wanted, @startup)
        if (question = @server_type.question)
          write(question)
          @server_type.receive(read) until @server_type.answered?
        end
        objection = @server_type.objection or return
        write(FAREWELL)
        raise UnsuitableServer, objection
      end

      def named_errors
        yield
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

        timeout = @config.connect_timeout ? format("%g s (connect_timeout)", @config.connect_timeout) : "the deadline"
        raise ConnectionError, "no answer within #{timeout} during #{@startup.stage}"
      end
    end

    private_constant :Attempt
  end
end
