# frozen_string_literal: true

require_relative "../socket/readiness"
require_relative "../socket/tcp"
require_relative "../socket/unix"
require_relative "../trunk/deadlines"

module Trunkline
  module Memcached
    # Connects, and asks the server who it is: one that takes connections and never answers is found out here, as are other
    # programs, and servers that are too old.
    class Connector
      QUESTION = "version\r\n"
      OLDEST = Gem::Version.new("1.6.0")
      CHUNK = 1024 # bytes; more than any answer to the question
      private_constant :QUESTION, :OLDEST, :CHUNK

      # @param address [Address]
      # @param timeout [Numeric, nil] seconds in all, unless the present deadline comes first
      # @return [::Socket] connected, non-blocking
      # @raise [ConnectionError]
      def self.connect(address, timeout) = new(address, timeout).connect

      def initialize(address, timeout)
        @address = address
        @deadline = [Socket::Readiness.deadline(timeout), Deadlines.present].compact.min
      end

      # Whatever ends this early, an exception or a cancelled fiber, leaves no open socket.
      def connect
        io = open
        io.write_nonblock(QUESTION)
        check(line_from(io))
        connected = io
      rescue SystemCallError => error
        fail_with("the connection broke: #{SystemCallError.new(nil, error.errno).message.downcase}")
      ensure
        io&.close unless connected
      end

      private

      def open
        return Socket::Unix.connect(@address.host, @deadline, server: @address.name) if @address.unix?

        Socket::TCP.connect(@address.host, @address.port, @deadline, server: @address.name)
      end

      def line_from(io)
        line = +""
        line << chunk_from(io) until line.end_with?("\n") || line.bytesize > CHUNK
        line
      end

      def chunk_from(io)
        while (bytes = io.read_nonblock(CHUNK, exception: false)) == :wait_readable
          next if Socket::Readiness.wait_readable(io, @deadline)

          fail_with("it does not answer")
        end
        bytes || fail_with("the server closed the connection")
      end

      def check(line)
        version = line[/\AVERSION (\d+(\.\d+)*)/, 1] or fail_with("this is no memcached server: #{line[0, 60].strip.inspect}")
        return if Gem::Version.new(version) >= OLDEST

        fail_with("memcached #{version} is too old: it must be 1.6 or newer")
      end

      def fail_with(reason) = raise ConnectionError.new("cannot connect: #{reason}", server: @address.name)
    end
    private_constant :Connector
  end
end
