# frozen_string_literal: true

require_relative "../socket/readiness"
require_relative "../socket/stream"
require_relative "../socket/tcp"
require_relative "../socket/tls"
require_relative "../socket/unix"
require_relative "../trunk/deadlines"

module Trunkline
  module Memcached
    # Connects, and asks the server who it is: one that takes connections and never answers is found out here, as are other
    # programs, and servers that are too old.
    class Connector
      QUESTION = "version\r\n"
      OLDEST = [1, 6, 10].freeze
      CHUNK = 1024 # bytes; more than any answer to the question
      private_constant :QUESTION, :OLDEST, :CHUNK

      # @param address [Address]
      # @param timeout [Numeric, nil] seconds in all, unless the present deadline comes first
      # @param tls [OpenSSL::SSL::SSLContext, nil] nil: what is said can be read on the way
      # @return [Array(::Socket, Array<Integer>), Array(OpenSSL::SSL::SSLSocket, Array<Integer>)] connected, non-blocking; and
      #   the parts of the server's version
      # @raise [ConnectionError]
      def self.connect(address, timeout, tls = nil) = new(address, timeout, tls).connect

      def initialize(address, timeout, tls)
        @address = address
        @tls = tls
        @deadline = [Socket::Readiness.deadline(timeout), Deadlines.present].compact.min
      end

      # Whatever ends this early, an exception or a cancelled fiber, leaves no open socket.
      def connect
        io = open
        io = encrypt(io) if @tls
        Socket::Stream.write(io, QUESTION, @deadline)
        version = version_in(line_from(io))
        connected = io
        [io, version]
      rescue SystemCallError => error
        fail_with("the connection broke: #{SystemCallError.new(nil, error.errno).message.downcase}")
      rescue OpenSSL::SSL::SSLError => error
        fail_with("TLS failed: #{Socket::TLSReason.of(error)}")
      ensure
        io&.close unless connected
      end

      private

      def open
        return Socket::Unix.connect(@address.host, @deadline, server: @address.name) if @address.unix?

        Socket::TCP.connect(@address.host, @address.port, @deadline, server: @address.name)
      end

      # Whom the certificate must be for, the context checks, which must be told who that is.
      def encrypt(io)
        Socket::TLS.connect(io, @tls, @deadline, server_name: @address.host) || fail_with("the TLS handshake takes too long")
      end

      def line_from(io)
        line = +""
        line << chunk_from(io) until line.end_with?("\n") || line.bytesize > CHUNK
        line
      end

      def chunk_from(io)
        bytes = Socket::Stream.read(io, CHUNK, @deadline)
        return bytes if bytes

        fail_with(bytes.nil? ? "the server closed the connection" : "it does not answer")
      end

      def version_in(line)
        text = line[/\AVERSION (\d+(\.\d+)*)/, 1] or fail_with("this is no memcached server: #{line[0, 60].strip.inspect}")
        version = text.split(".").map(&:to_i)
        return version unless (version <=> OLDEST).negative?

        fail_with("memcached #{text} is too old: it must be #{OLDEST.join(".")} or newer")
      end

      def fail_with(reason) = raise ConnectionError.new("cannot connect: #{reason}", server: @address.name)
    end
    private_constant :Connector
  end
end
