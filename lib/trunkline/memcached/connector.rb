# frozen_string_literal: true

require_relative "../socket/readiness"
require_relative "../socket/deadline_io"
require_relative "../socket/tcp"
require_relative "../socket/tls"
require_relative "../socket/unix"
require_relative "../trunk/deadlines"

module Trunkline
  module Memcached
    # Connects, and requests the server's version: that detects a server that accepts connections and never answers, other programs, and servers that
    # are too old.
    class Connector
      # Sent several times in a row. A server that only has the binary protocol reads 24 bytes as a header, which begins with another byte, and closes
      # the connection; it would wait for more bytes after a shorter command.
      PROBE = "version\r\n"
      TIMES = 3 # 27 bytes
      OLDEST = [1, 6, 10].freeze
      CHUNK = 1024 # bytes; more than any answer to the probe
      ANSWERED = /\A(VERSION |STORED\r\n)/
      HUNG_UP = "the server closed the connection before it answered: it does not speak memcached's text protocol (memcached -B binary, or -S, " \
                "which is SASL), or speaks it over TLS alone (ssl_context:), or has no room for another connection"
      PLAIN = /wrong version number|packet length too long|unknown protocol|record layer failure/
      NO_TLS = "the server answered in plain text: it was started without TLS (memcached -Z), so leave out ssl_context:"
      private_constant :PROBE, :TIMES, :OLDEST, :CHUNK, :ANSWERED, :HUNG_UP, :PLAIN, :NO_TLS

      # How to connect to the servers of a client.
      #
      # tls:: [OpenSSL::SSL::SSLContext, nil] nil: not encrypted
      # proof:: [String, nil] the first command, for ASCII authentication; nil: none
      Access = Struct.new(:tls, :proof) do
        # @raise [ArgumentError] one of the two is missing, or contains characters that the command cannot
        def self.of(tls, username, password)
          return new(tls, nil) if nil == username && nil == password
          unless [username, password].all? { |text| String === text && text.match?(/\A[^ \r\n\0]+\z/n) }
            raise ArgumentError, "username and password belong together, as Strings without blanks and line ends"
          end

          # A server without authentication stores that as a value, which has expired already.
          new(tls, "set auth 0 -1 #{username.bytesize + password.bytesize + 1}\r\n#{username} #{password}\r\n")
        end

        def inspect = "#<#{self.class}>" # :nodoc:
      end

      # Connects and waits for the answer.
      #
      # @param address [Address]
      # @param timeout [Numeric, nil] seconds in all, unless the current deadline is earlier
      # @param access [Access]
      # @return [Connector] answered
      # @raise [ConnectionError]
      def self.connect(address, timeout, access = Access.new) = new(address, timeout, access).connect

      # @return [::Socket, OpenSSL::SSL::SSLSocket] connected, non-blocking
      attr_reader :io

      # @return [Array<Integer>] the parts of the server's version
      attr_reader :version

      def initialize(address, timeout, access)
        @address = address
        @access = access
        @deadline = [Socket::Readiness.deadline(timeout), Deadlines.present].compact.min
        @line = +""
        @generation = Trunkline.process_generation
      end

      # Whether the parent of this process created it.
      def inherited? = @generation != Trunkline.process_generation

      # {probe} and {answered?} in one. If it ends early, by an exception or a cancelled fiber, the socket is closed.
      #
      # @return [Connector] this one
      # @raise [ConnectionError]
      def connect
        probe
        connected = answered?(@deadline) || fail_with("it does not answer")
        self
      ensure
        close unless connected
      end

      # Connects and sends the probe.
      #
      # @raise [ConnectionError] the caller must close it then
      def probe
        explaining do
          @io = open
          @io = encrypt(@io) if @access.tls
          Socket::DeadlineIO.write(@io, "#{@access.proof}#{PROBE * TIMES}", @deadline)
        end
      end

      # @param deadline [Float, nil] on the clock of Waiting.now
      # @return [Boolean] whether the answer has arrived by then
      # @raise [ConnectionError] the server has closed the connection, or is not suitable
      def answered?(deadline)
        explaining do
          until whole?
            bytes = Socket::DeadlineIO.read(@io, CHUNK, deadline)
            return false if bytes == false

            @line << (bytes || fail_with(HUNG_UP))
          end
        end
        @version = version_in(@access.proof ? accepted(@line) : @line)
        true
      end

      # Closes the socket, and sends nothing to the server: in a forked child the parent uses it too.
      def close = @io&.to_io&.close

      private

      def explaining
        yield
      rescue SystemCallError => error
        fail_with("the connection broke: #{SystemCallError.new(nil, error.errno).message.downcase}")
      rescue OpenSSL::SSL::SSLError => error
        reason = Socket::TLSReason.of(error)
        fail_with("TLS failed: #{reason.match?(PLAIN) ? NO_TLS : reason}")
      end

      def open
        return Socket::Unix.connect(@address.host, @deadline, server: @address.name) if @address.unix?

        Socket::TCP.connect(@address.host, @address.port, @deadline, server: @address.name)
      end

      # The context verifies the certificate's name, which must be set first. One that verifies certificates without a name would accept that of any
      # server: then the name is verified here.
      def encrypt(io)
        tls = @access.tls
        encrypted = Socket::TLS.connect(io, tls, @deadline, server_name: @address.host) || fail_with("the TLS handshake takes too long")
        encrypted.post_connection_check(@address.host) if !tls.verify_hostname && (tls.verify_mode.to_i & OpenSSL::SSL::VERIFY_PEER).positive?
        encrypted
      rescue OpenSSL::SSL::SSLError
        encrypted&.to_io&.close
        raise
      end

      # An unexpected line ends the answer, too: there may be no more.
      def whole?
        lines = @line.lines.select { |line| line.end_with?("\n") }
        lines.size == (@access.proof ? TIMES + 1 : TIMES) || @line.bytesize > CHUNK || lines.any? { |line| !line.match?(ANSWERED) }
      end

      # A refused authentication is an error, and the server closes the connection or answers no other command.
      def accepted(lines)
        proof, answer = lines.lines
        return answer if proof == "STORED\r\n" && answer

        fail_with("the server refused username and password: #{lines[0, 60].lines.first.to_s.strip.inspect}")
      end

      def version_in(line)
        fail_with("the server requires username and password (it was started with -Y)") if line.start_with?("CLIENT_ERROR unauthenticated")
        text = line[/\AVERSION (\d+(\.\d+)*)/, 1] or fail_with("this is no memcached server: #{line.lines.first[0, 60].strip.inspect}")
        version = text.split(".").map(&:to_i)
        return version unless (version <=> OLDEST).negative?

        fail_with("memcached #{text} is too old: it must be #{OLDEST.join(".")} or newer")
      end

      def fail_with(reason) = raise ConnectionError.new("cannot connect: #{reason}", server: @address.name)
    end
    private_constant :Connector
  end
end
