# frozen_string_literal: true

require "socket"

module Trunkline
  module Bench
    # TCP ports of 127.0.0.1 for private servers. A server that is told its port takes seconds until it listens there, and one that is stopped listens
    # there again later: meanwhile another process may take the port, and answer in its place.
    module FreePort
      # Below the ports that a system gives to clients, and to servers that ask for any: Linux begins at 32768, others at 49152.
      RANGE = (10_000..32_000)
      LINUX = RUBY_PLATFORM.include?("linux")
      private_constant :RANGE, :LINUX

      # @param random [#rand] draws ports; not Kernel, as parts of a test run may have the same seed
      # @return [Integer] a port that is free at this moment
      def self.find(random: Random.new) = hold(random: random, &:itself)

      # @param random [#rand] as {find}
      # @yieldparam port [Integer] that is free, and that no other process finds here until the block ends
      # @return what the block returns
      def self.hold(random: Random.new)
        while (port = random.rand(RANGE))
          reservation = reserve(port) or next
          begin
            return yield(port) if free?(port)
          ensure
            reservation.close
          end
        end
      end

      # An abstract name of a Unix socket exists for as long as the socket is open, for all processes that share the ports; other systems have none.
      def self.reserve(port)
        LINUX ? UNIXServer.new("\0trunkline port #{port}") : File.open(File::NULL)
      rescue Errno::EADDRINUSE
        nil
      end

      def self.free?(port)
        TCPServer.open("127.0.0.1", port, &:close)
        true
      rescue Errno::EADDRINUSE, Errno::EACCES
        false
      end
      private_class_method :reserve, :free?
    end
  end
end
