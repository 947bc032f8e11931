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

      # Connects and waits for the answer.
      #
      # @param address [Address]
      # @param timeout [Numeric, nil] seconds in all, unless the present deadline comes first
      # @param tls [OpenSSL::SSL::SSLContext, nil] nil: what is said can be read on the way
      # @return [Connector] answered
      # @raise [ConnectionError]
      def self.connect(address, timeout, tls = nil) = new(address, timeout, tls).connect

      # @return [::Socket, OpenSSL::SSL::SSLSocket] connected, non-blocking
      attr_reader :io

      # @return [Array<Integer>] the parts of the server's version
      attr_reader :version

      def initialize(address, timeout, tls)
        @address = address
        @tls = tls
        @deadline = [Socket::Readiness.deadline(timeout), Deadlines.present].compact.min
        @line = +""
        @generation = Trunkline.process_generation
      end

      # Was it made by the parent of this process?
      def inherited? = @generation != Trunkline.process_generation

      # {ask} and {answered?} in one. Whatever ends this early, an exception or a cancelled fiber, leaves no open socket.
      #
      # @return [Connector] this one
      # @raise [ConnectionError]
      def connect
        ask
        connected = answered?(@deadline) || fail_with("it does not answer")
        self
      ensure
        close unless connected
      end

      # Connects and sends the question.
      #
      # @raise [ConnectionError] then it is for the caller to close
      def ask
        explaining do
          @io = open
          @io = encrypt(@io) if @tls
          Socket::Stream.write(@io, QUESTION, @deadline)
        end
      end

      # @param deadline [Float, nil] on the clock of Waiting.now
      # @return [Boolean] whether the answer has come by then
      # @raise [ConnectionError] the server has hung up, or is none that will do
      def answered?(deadline)
        explaining do
          until @line.end_with?("\n") || @line.bytesize > CHUNK
            bytes = Socket::Stream.read(@io, CHUNK, deadline)
            return false if bytes == false

            @line << (bytes || fail_with("the server closed the connection"))
          end
        end
        @version = version_in(@line)
        true
      end

      # Closes the socket, and says nothing to the server: in a forked child it is the parent's, too.
      def close = @io&.to_io&.close

      private

      def explaining
        yield
      rescue SystemCallError => error
        fail_with("the connection broke: #{SystemCallError.new(nil, error.errno).message.downcase}")
      rescue OpenSSL::SSL::SSLError => error
        fail_with("TLS failed: #{Socket::TLSReason.of(error)}")
      end

      def open
        return Socket::Unix.connect(@address.host, @deadline, server: @address.name) if @address.unix?

        Socket::TCP.connect(@address.host, @address.port, @deadline, server: @address.name)
      end

      # Whom the certificate must be for, the context checks, which must be told who that is.
      def encrypt(io)
        Socket::TLS.connect(io, @tls, @deadline, server_name: @address.host) || fail_with("the TLS handshake takes too long")
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
