# frozen_string_literal: true

require "socket"

module Trunkline
  module Bench
    # A TCP port of 127.0.0.1 that is free at this moment; another process may take it before a server does.
    module FreePort
      # @return [Integer]
      def self.find = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    end
  end
end
