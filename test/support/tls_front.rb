# frozen_string_literal: true

require "openssl"
require "socket"

module Trunkline
  # A proxy that encrypts in front of a PostgreSQL without TLS, with its own certificates. Its owner chooses what it does to the answer of a request
  # that contains MARK; the bytes of TLS pass through a second pair of sockets, so records can be cut and changed.
  class TLSFront
    MARK = "-- fault"
    # Functions of the encrypted bytes of an answer, behind which the next one may have come: its first record is what they change. nil: nothing more, and
    # the connection ends.
    FAULTS = {
      no_farewell: ->(_bytes) {},
      cut_record: ->(bytes) { bytes[...(last_of_record(bytes))] },
      cut_header: ->(bytes) { bytes[..2] },
      changed_byte: ->(bytes) { bytes.tap { last_of_record(bytes).then { |last| bytes.setbyte(last, bytes.getbyte(last) ^ 1) } } },
      no_tls: ->(_bytes) { "plain text in the middle of it" },
      alert_in_the_clear: ->(_bytes) { "\x15\x03\x03\x00\x02\x02\x28".b }
    }.freeze

    # @param server [#port] on 127.0.0.1
    # @param context [OpenSSL::SSL::SSLContext]
    # @yieldparam front [TLSFront] closed after the block
    def self.open(server, context)
      front = new(server, context)
      begin
        yield front
      ensure
        front.close
      end
    end

    # @param bytes [String] from the beginning of a record on: its header is of five bytes, the last two of which are its length (RFC 8446, 5.1)
    # @return [Integer] index of the record's last byte
    def self.last_of_record(bytes) = 4 + bytes[3, 2].unpack1("n")

    # The TLS context for new connections.
    attr_writer :context

    # A key of FAULTS, or :farewell: close_notify is sent, and the answer is lost.
    attr_writer :fault

    # @return [Array<Boolean>] whether each handshake has resumed a session
    attr_reader :resumed

    def initialize(server, context)
      @server = server
      @resumed = []
      @context = context
      @fault = :no_farewell
      @listener = TCPServer.new("127.0.0.1", 0)
      @threads = []
      @sockets = []
      @acceptor = Thread.new { accept }
    end

    # @return [Integer] of 127.0.0.1
    def port = @listener.addr[1]

    def close
      @listener.close
      @acceptor.join
      @sockets.each { |socket| end_of(socket) }
      @threads.each(&:join)
      @sockets.each(&:close)
    end

    private

    def accept
      loop { @sockets.push(client = @listener.accept) && @threads.push(Thread.new { serve(client) }) }
    rescue IOError
      nil # closed
    end

    def serve(client)
      client.read(8) or return # SSLRequest, or the end of an attempt
      client.write("S")
      inner, outer = UNIXSocket.pair
      link = Link.new(client, outer, TCPSocket.new("127.0.0.1", @server.port))
      @sockets.push(inner, outer, link.server)
      @threads.push(Thread.new { link.pass_to_client }, Thread.new { link.pass_from_client })
      tls = OpenSSL::SSL::SSLSocket.new(inner, @context).accept
      @resumed << tls.session_reused?
      @threads.push(Thread.new { pass_answers(link, tls) })
      pass_requests(link, tls)
    rescue OpenSSL::SSL::SSLError, IOError, SystemCallError
      nil # the client refuses the certificate, or has gone
    ensure
      [client, inner, link&.server].compact.each { |socket| end_of(socket) }
    end

    def pass_requests(link, tls)
      loop do
        bytes = tls.readpartial(100_000)
        link.fault = @fault if bytes.include?(MARK)
        link.server.write(bytes)
      end
    end

    def pass_answers(link, tls)
      loop do
        bytes = link.server.readpartial(100_000)
        return tls.close if link.fault == :farewell

        tls.write(bytes)
      end
    rescue OpenSSL::SSL::SSLError, IOError, SystemCallError
      nil # ended by either side
    ensure
      end_of(tls.to_io)
    end

    def end_of(socket)
      socket.shutdown
    rescue IOError, SystemCallError
      nil # it has ended
    end

    # One client, and the encrypted bytes to and from it.
    Link = Struct.new(:client, :outer, :server) do
      attr_accessor :fault

      def pass_to_client
        loop do
          bytes = outer.readpartial(100_000)
          next client.write(bytes) unless (change = FAULTS[fault])

          client.write(change.call(bytes).to_s)
          break client.shutdown
        end
      rescue IOError, SystemCallError
        shut(client)
      end

      def pass_from_client
        loop { outer.write(client.readpartial(100_000)) }
      rescue IOError, SystemCallError
        shut(outer)
      end

      def shut(socket)
        socket.shutdown
      rescue IOError, SystemCallError
        nil # it has ended
      end
    end
    private_constant :Link
  end
end
