# frozen_string_literal: true

require "openssl"
require "socket"
require "tmpdir"
require_relative "narrow_sockets"

module Trunkline
  # A server whose messages the test defines: the block runs for each connection, one after the other, in a separate thread. When the block returns,
  # the connection is closed.
  #
  #   ScriptedServer.open(->(peer) { peer.startup; peer << "R..." }) { |server| Config.new(server.conninfo) }
  class ScriptedServer
    # Raised when a script reads more than the client has sent.
    class Gone < StandardError; end

    # @param script [#call] gets a {Peer}
    # @param tcp [Boolean] listen on 127.0.0.1 instead of a Unix socket
    # @param narrow [Boolean] its sockets hold as little as they can
    # @yieldparam server [ScriptedServer] stopped after the block; an exception in the script is raised then
    # @return what the block returns
    def self.open(script, tcp: false, narrow: false)
      Dir.mktmpdir("scripted") do |folder|
        server = new(script, tcp ? TCPServer.new("127.0.0.1", 0) : UNIXServer.new("#{folder}/.s.PGSQL.5432"), folder, narrow: narrow)
        begin
          yield server
        ensure
          server.stop
        end
      end
    end

    # @param arrived [Thread::Queue] gets an element when a client has begun a session
    # @return [Proc] the script of a server that never answers
    def self.silent(arrived)
      lambda do |peer|
        peer.startup
        arrived << true
        peer.drain
      end
    end

    # @return [String] where it listens, as keywords and values
    attr_reader :conninfo

    def initialize(script, listener, folder, narrow: false)
      @script = script
      @listener = listener
      @narrow = narrow
      NarrowSockets.narrow(listener) if narrow
      tcp_port = listener.addr[1] if listener.is_a?(TCPServer)
      @conninfo = tcp_port ? "host=127.0.0.1 port=#{tcp_port}" : "host=#{folder} port=5432"
      @thread = Thread.new { serve }
      @thread.report_on_exception = false
    end

    # Accepts no more connections, lets the current script end, and raises its exception. A thread closes sockets that another waits for: Ruby 3.3
    # does not wake a fiber that does so.
    def stop
      Thread.new { @listener.close }.join
      @thread.join
    end

    private

    def serve
      while (socket = accept)
        begin
          @script.call(Peer.new(socket))
        rescue Gone, Errno::EPIPE, Errno::ECONNRESET, OpenSSL::SSL::SSLError
          next
        ensure
          socket.close
        end
      end
    end

    def accept
      @listener.accept.tap { |socket| NarrowSockets.narrow(socket) if @narrow }
    rescue IOError # closed by #stop
      nil
    end

    # The server's end of one connection.
    class Peer
      # Bytes that are sent before the connection is cut; nil: all.
      attr_accessor :budget

      # @return [Boolean] send every byte on its own
      attr_accessor :bytewise

      def initialize(socket)
        @socket = socket
      end

      # @param bytes [String] sent at once, or as {#budget} and {#bytewise} say
      # @raise [Gone] when the budget is used up
      def <<(bytes)
        sent = budget ? bytes.byteslice(0, budget) : bytes
        bytewise ? sent.each_byte { |byte| @socket.write(byte.chr) } : @socket.write(sent)
        raise Gone if budget && (self.budget -= sent.bytesize).zero?

        self
      end

      # @param protocol [String] what the client should want to speak
      # @return [Hash{String => String}] the parameters of the client's startup message; a request to encrypt before that is
      #   told that there is no such thing
      def startup(protocol = "3.0")
        length, *version = read(8).unpack("Nnn")
        if version == [1234, 5679]
          @socket.write("N")
          return startup(protocol)
        end
        raise "protocol #{version.join(".")}" unless version.join(".") == protocol

        Hash[*read(length - 8).delete_suffix("\0\0").split("\0")]
      end

      # Accepts the client's SSLRequest, and continues encrypted.
      #
      # @param context [OpenSSL::SSL::SSLContext]
      # @return [OpenSSL::SSL::SSLSocket]
      def encrypt(context)
        asked = read(8).unpack("Nnn")
        raise "no SSLRequest: #{asked}" unless asked == [8, 1234, 5679]

        @socket.write("S")
        shake_hands(context)
      end

      # Does the TLS handshake without an SSLRequest.
      #
      # @param context [OpenSSL::SSL::SSLContext]
      # @return [OpenSSL::SSL::SSLSocket]
      # @raise [Gone] when the client does not like it
      def shake_hands(context)
        encrypted = OpenSSL::SSL::SSLSocket.new(@socket, context)
        encrypted.sync_close = true
        @socket = encrypted
        encrypted.accept
      rescue OpenSSL::SSL::SSLError
        raise Gone
      end

      # @return [Array(String, String)] type and body of the client's next message
      def message
        type, length = read(5).unpack("aN")
        [type, read(length - 4)]
      end

      # Resets the connection (RST): what was not delivered is lost, and the client gets an error.
      def reset
        @socket.setsockopt(::Socket::Option.linger(true, 0))
        @socket.close
      end

      # Waits until the client has closed its end.
      # @return [String] what it sent before that
      def drain = @socket.read

      # @param count [Integer]
      # @return [String] that many bytes from the client
      # @raise [Gone] when it does not send as many
      def read(count)
        bytes = @socket.read(count)
        bytes&.bytesize == count || count.zero? ? bytes.to_s : raise(Gone)
      end
    end
  end
end
