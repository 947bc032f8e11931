# frozen_string_literal: true

require "socket"

module Trunkline
  # A proxy that does not interpret the protocol: passes bytes on in pieces, stalls, and cuts connections.
  class ByteProxy
    # @param port [Integer] of the server on 127.0.0.1
    # @param random [Random]
    # @yieldparam proxy [ByteProxy] closed after the block
    # @return what the block returns
    def self.open(port, random)
      proxy = new(port, random)
      begin
        yield proxy
      ensure
        proxy.close
      end
    end

    def initialize(port, random)
      @port = port
      @random = random
      @listener = TCPServer.new("127.0.0.1", 0)
      @links = []
      @threads = []
      @acceptor = Thread.new { accept }
    end

    # @return [String] as the client takes it
    def address = "127.0.0.1:#{@listener.addr[1]}"

    # Ends every connection, in the middle of a message or not.
    def cut = @links.each { |sockets| shut(sockets) }

    def close
      beside { @listener.close }
      @acceptor.join
      cut
      @threads.each(&:join)
    end

    private

    # A thread closes sockets that another waits for: Ruby 3.3 does not wake a fiber that does so.
    def beside(&block) = Thread.new(&block).join

    def accept
      loop do
        client = @listener.accept
        sockets = [client, TCPSocket.new("127.0.0.1", @port)]
        @links << sockets
        @threads << Thread.new { link(sockets) }
      end
    rescue IOError
      nil # closed
    end

    # Sockets are closed when no thread waits for them any more: Ruby 3.3 fails when a thread ends while it waits to close one.
    def link(sockets)
      [sockets, sockets.reverse].map { |from, to| Thread.new { pass_on(from, to) } }.each(&:join)
    ensure
      sockets.each(&:close)
    end

    def pass_on(from, to)
      loop do
        bytes = from.readpartial(65_536)
        until bytes.empty?
          to.write(bytes.slice!(0, 1 + @random.rand([3, 300, 65_536].sample(random: @random))))
          sleep(@random.rand * 0.002) if @random.rand < 0.1
        end
      end
    rescue IOError, SystemCallError
      shut([from, to])
    end

    def shut(sockets)
      sockets.each do |socket|
        socket.shutdown
      rescue IOError, SystemCallError
        nil # by the other side, or closed
      end
    end
  end
end
