# frozen_string_literal: true

require "fileutils"
require "socket"
require_relative "free_port"
require_relative "keeper"

module Trunkline
  module Bench
    # A private memcached: empty, on a free port of 127.0.0.1 or on a Unix socket, gone with this process.
    #
    #   server = MemcachedServer.start
    #   server.address    # => "127.0.0.1:40123"
    #   server.stop
    class MemcachedServer
      START_TIMEOUT = 120 # seconds
      ATTEMPTS = 3       # another process may take the free port first
      private_constant :START_TIMEOUT, :ATTEMPTS

      @count = 0
      @lock = Mutex.new

      # @param unix [Boolean] whether it listens on a Unix socket
      # @param port [Integer, nil] to listen on; nil: a free one
      # @param megabytes [Integer] of memory for values
      # @param arguments [Array<String>] others of the server's own
      # @return [MemcachedServer] ready for connections
      # @raise [RuntimeError] with the server's output when it does not start
      def self.start(unix: false, port: nil, megabytes: 64, arguments: [])
        number = @lock.synchronize { @count += 1 }
        new(File.join(Keeper.instance.folder, "memcached#{number}"), unix, port, ["-m", megabytes.to_s, *arguments]).tap(&:start)
      end

      # @return [Integer] its process id
      attr_reader :pid

      def initialize(name, unix, port, arguments)
        @name = name
        @unix = unix
        @port = port
        @arguments = arguments
      end

      # Starts the server, also after {#stop}, in the same place and empty; waits until it takes connections.
      def start
        given = @port
        ATTEMPTS.times do
          return self if given || @unix ? start_at(given) : FreePort.hold { |free| start_at(free) }
          break if given || @unix
        end
        @port = given
        raise "memcached did not start:\n#{File.read(log)}"
      end

      # @return [String] as the client takes it
      def address = @unix ? "#{@name}.socket" : "127.0.0.1:#{@port}"

      # @return [Integer, nil] TCP port on 127.0.0.1
      attr_reader :port

      # @return [String] a path
      def log = "#{@name}.log"

      # @return [Socket] a connection of the caller's own
      def connect = @unix ? UNIXSocket.new(address) : TCPSocket.new("127.0.0.1", port)

      def stop = Keeper.instance.stop(pid)

      private

      # @return [Boolean] whether it takes connections
      def start_at(port)
        @port = port
        launch
        ready_in_time?
      end

      def launch
        FileUtils.rm_f(address) if @unix
        place = @unix ? ["-s", address] : ["-l", "127.0.0.1", "-p", port.to_s]
        # It has nothing to lose, and would take a second to end in good order.
        @pid = Keeper.instance.spawn("memcached", *place, "-U", "0", "-t", "2", *@arguments, log: log, stop: "KILL")
      end

      # Another program may listen where it was to.
      def ready_in_time?
        deadline = now + START_TIMEOUT
        while now < deadline && Keeper.instance.running?(pid)
          begin
            connect.close
            return Keeper.instance.running?(pid)
          rescue SystemCallError
            sleep 0.01
          end
        end
        false
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
