# frozen_string_literal: true

require "io/wait"
require "socket"

module Trunkline
  # A black hole: packets arrive, and no answer comes.
  module SilentServer
    private

    # @yieldparam address [Addrinfo] at which no answer comes: the queue of connections is full and none is accepted
    # @return what the block returns
    def silent_server
      listener = TCPServer.new("127.0.0.1", 0)
      listener.listen(0)
      callers = []
      callers << ::Socket.new(:INET, :STREAM) until callers.any? && !queued?(callers.last, listener.local_address)
      yield listener.local_address
    ensure
      [listener, *callers].each(&:close)
    end

    def queued?(caller, address)
      caller.connect_nonblock(address, exception: false) == 0 || !caller.wait_writable(0.05).nil?
    end
  end
end
