# frozen_string_literal: true

require "socket"

module Trunkline
  # A memcached whose answers the test defines: it answers the request for its version, as the real one does, and then the block runs for each further
  # line. The block reads values that follow a line, and must send the opaque that its answer needs.
  #
  #   ScriptedMemcached.open(->(socket, line) { socket << "EN#{ScriptedMemcached.number(line)}\r\n" }) { |server| Trunkline.memcached(server.address) }
  class ScriptedMemcached
    # @param script [#call] gets a socket and a line
    # @param version [String, nil] its answer to the request for its version; nil: it sends none
    # @yieldparam server [ScriptedMemcached] stopped after the block
    # @return what the block returns
    def self.open(script, version: "VERSION 1.6.18\r\n")
      server = new(script, version)
      begin
        yield server
      ensure
        server.stop
      end
    end

    # @param line [String] a command
    # @return [String] its opaque with a blank in front, as its answer must have it
    def self.number(line) = line[/ O\d+/]

    # @return [TCPServer]
    attr_reader :listener

    # @return [Integer] connections so far
    attr_reader :connections

    # @return [Array<String>] lines so far
    attr_reader :lines

    def initialize(script, version)
      @script = script
      @version = version
      @listener = TCPServer.new("127.0.0.1", 0)
      @address = "127.0.0.1:#{@listener.addr[1]}"
      @connections = 0
      @lines = []
      @sockets = []
      @threads = [Thread.new { accept }]
    end

    # @return [String] as the client takes it
    attr_reader :address

    # From now on it accepts connections and lines, and does not answer, like a stopped process.
    def hang
      @gate = Thread::Queue.new
    end

    # Answers also what it has received meanwhile.
    def resume = @gate.close

    # Sockets are closed when no thread waits for them any more: Ruby 3.3 does not wake a fiber that closes what a thread waits for.
    def stop
      @threads.each { |thread| thread.kill.join }
      [@listener, *@sockets].each(&:close)
    end

    private

    def accept
      loop do
        socket = @listener.accept
        @sockets << socket
        @connections += 1
        @threads << Thread.new { serve(socket) }
      end
    rescue IOError
      nil # stopped
    end

    def serve(socket)
      while (line = socket.gets)
        @lines << line
        @gate&.pop
        line == "version\r\n" ? socket << @version.to_s : @script.call(socket, line)
      end
    rescue IOError, SystemCallError
      nil # either side has gone
    end
  end
end
