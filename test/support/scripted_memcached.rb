# frozen_string_literal: true

require "socket"

module Trunkline
  # A memcached whose answers the test writes down: it tells its version, as the real one does, and then the block runs for
  # each further line it is sent. Values that follow a line are for the block to read, and so is the number that its answer
  # must have.
  #
  #   ScriptedMemcached.open(->(socket, line) { socket << "EN#{ScriptedMemcached.number(line)}\r\n" }) { |server| Trunkline.memcached(server.address) }
  class ScriptedMemcached
    # @param script [#call] gets a socket and a line
    # @param version [String, nil] what it says it is; nil: it says nothing
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
    # @return [String] its number with a blank in front, as its answer has it
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

    # From now on it takes connections and lines, and is silent; as a process that is stopped.
    def hang
      @gate = Thread::Queue.new
    end

    # Answers what it was sent meanwhile, too.
    def resume = @gate.close

    # Sockets are closed when no thread waits for them any more: a fiber that closes what a thread waits for is not woken again by
    # Ruby 3.3.
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
