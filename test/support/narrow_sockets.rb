# frozen_string_literal: true

require "minitest/mock"
require "socket"

# Sockets that hold little, so that both sides have to wait until the other one reads: a server that cannot send its answers reads no more requests.
module NarrowSockets
  BYTES = 4096 # that each of a socket's two buffers is to hold; Linux makes it twice as many, with its own data

  module_function

  # Has effect on TCP before the connection is made. A socket that listens gives its buffers to those that it accepts.
  #
  # @param socket [BasicSocket]
  def narrow(socket) = %i[SNDBUF RCVBUF].each { |buffer| socket.setsockopt(:SOCKET, buffer, BYTES) }

  # Every socket that the client connects within the block is narrow.
  def narrowed
    attempt = Trunkline::Socket.const_get(:Attempt)
    connect = attempt.method(:establish)
    narrowing = ->(socket, *rest) { narrow(socket) && connect.call(socket, *rest) }
    attempt.stub(:establish, narrowing) { yield }
  end
end
